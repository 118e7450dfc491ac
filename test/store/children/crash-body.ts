// Owns: the bytes that commit n of an agent carries, the same for writer and checker. Every seventh has a blob that is a file.

export function bodyOf(agent: string, n: number): [Uint8Array, Uint8Array] {
  const fill = (size: number): Uint8Array => Buffer.alloc(size, `${agent} ${n} `);
  return [fill(100 + (n % 50)), fill(n % 7 === 0 ? 300_000 : 2000)];
}

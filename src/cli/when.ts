// Owns: how a time is shown.

export function when(time: Date): string {
  return time.toISOString().slice(0, 19).replace("T", " ");
}

// Owns: what is between the members of a container: blanks, line breaks, comments, and whose they are.
// Must never: look at a member itself.
//
// Ownership: a comment after a member on its line belongs to it when the line ends there; comments on the lines
// directly above a member, without an empty line between, belong to it; a comment before it on its own line too.

/** One part of a gap, by offsets in the document. */
export interface GapPart {
  readonly kind: "blank" | "break" | "line" | "block";
  readonly start: number;
  readonly end: number;
}

/** Splits the bytes between two tokens. `at` is where they are in the document. */
export function splitGap(bytes: Uint8Array, at: number): readonly GapPart[] {
  const parts: GapPart[] = [];
  let i = 0;
  const put = (kind: GapPart["kind"], end: number): void => {
    parts.push({ kind, start: at + i, end: at + end });
    i = end;
  };
  while (i < bytes.length) {
    const byte = bytes[i];
    if (byte === 0x0d || byte === 0x0a) put("break", byte === 0x0d && bytes[i + 1] === 0x0a ? i + 2 : i + 1);
    else if (byte === 0x2f && bytes[i + 1] === 0x2f) put("line", findBreak(bytes, i));
    else if (byte === 0x2f && bytes[i + 1] === 0x2a) put("block", findBlockEnd(bytes, i));
    else put("blank", findBlankEnd(bytes, i));
  }
  return parts;
}

function findBreak(bytes: Uint8Array, from: number): number {
  let i = from;
  while (i < bytes.length && bytes[i] !== 0x0a && bytes[i] !== 0x0d) i++;
  return i;
}

function findBlockEnd(bytes: Uint8Array, from: number): number {
  for (let i = from + 2; i < bytes.length - 1; i++)
    if (bytes[i] === 0x2a && bytes[i + 1] === 0x2f) return i + 2;
  return bytes.length;
}

function findBlankEnd(bytes: Uint8Array, from: number): number {
  let i = from + 1;
  while (i < bytes.length && (bytes[i] === 0x20 || bytes[i] === 0x09)) i++;
  return i;
}

/** How the gap before a member reads. */
export interface Lead {
  /** Does the member start a line of its own? */
  readonly ownLine: boolean;
  /** Where what belongs to the member starts: on its own line, the line break before its first line. */
  readonly from: number;
  /** The first comment of the member, or the member itself. */
  readonly firstToken: number;
  /** On its own line: the blanks before it. */
  readonly indent: GapPart | undefined;
  /** Does the line before end in a line comment, so that its break must stay? */
  readonly afterLineComment: boolean;
  /** Empty lines directly above what belongs to the member: how many, and where the first of them begins. */
  readonly empty: number;
  readonly emptyFrom: number;
}

/** `until` is where the member starts. */
export function leadOf(parts: readonly GapPart[], from: number, until: number): Lead {
  const breaks = parts.filter((part) => part.kind === "break");
  if (breaks.length === 0) {
    const comment = parts.find((part) => part.kind !== "blank");
    const firstToken = comment?.start ?? until;
    return {
      ownLine: false,
      from,
      firstToken,
      indent: undefined,
      afterLineComment: false,
      empty: 0,
      emptyFrom: from,
    };
  }
  // Walk up from the member, line by line, as long as a line holds a comment.
  const own = parts.findLastIndex((part) => part.kind === "break");
  let first = own;
  for (;;) {
    const above = parts.findLastIndex((part, i) => i < first && part.kind === "break");
    const commented = parts.some(
      (part, i) => i > above && i < first && (part.kind === "line" || part.kind === "block"),
    );
    // The line of the break before all others is the tail of the previous member's line.
    if (above === -1 || !commented) break;
    first = above;
  }
  const token = parts.find((part, i) => i > first && part.kind !== "blank" && part.kind !== "break");
  const above = parts.slice(0, first);
  const content = above.findLastIndex((part) => part.kind === "line" || part.kind === "block");
  const empty = above.slice(content + 1).filter((part) => part.kind === "break");
  return {
    ownLine: true,
    from: parts[first]?.start ?? from,
    firstToken: token?.start ?? until,
    indent: parts[own + 1]?.kind === "blank" ? parts[own + 1] : undefined,
    afterLineComment: parts[first - 1]?.kind === "line",
    empty: empty.length,
    emptyFrom: empty[0]?.start ?? parts[first]?.start ?? from,
  };
}

/** What follows a member (or its comma) on the same line. */
export interface GapTail {
  /** Where what belongs to the member ends: after its comments when the line ends there. */
  readonly to: number;
  /** Does the line end there? */
  readonly lineEnds: boolean;
  /** After the last comment of the line. */
  readonly lastToken: number;
  readonly lineComment: boolean;
  /** Empty lines directly below: how many, and the break that ends the last of them. */
  readonly empty: number;
  readonly emptyTo: number;
}

export function tailOf(parts: readonly GapPart[], from: number): GapTail {
  const stop = parts.findIndex((part) => part.kind === "break");
  const line = stop === -1 ? parts : parts.slice(0, stop);
  const lineComment = line.some((part) => part.kind === "line");
  const lastToken = line.findLast((part) => part.kind !== "blank")?.end ?? from;
  if (stop === -1)
    return { to: lastToken, lineEnds: false, lastToken, lineComment, empty: 0, emptyTo: lastToken };
  const to = parts[stop]?.start ?? from;
  const below = parts.slice(stop + 1);
  const content = below.findIndex((part) => part.kind === "line" || part.kind === "block");
  const empty = (content === -1 ? below : below.slice(0, content)).filter((part) => part.kind === "break");
  return {
    to,
    lineEnds: true,
    lastToken,
    lineComment,
    empty: empty.length,
    emptyTo: empty.at(-1)?.start ?? to,
  };
}

/** The first comment in a gap, or where the gap ends. */
export function firstToken(parts: readonly GapPart[], until: number): number {
  return parts.find((part) => part.kind === "line" || part.kind === "block")?.start ?? until;
}

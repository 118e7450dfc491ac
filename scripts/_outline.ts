// Owns: the parts of a Markdown specification that coverage can name: headings, list items, table rows.

export interface Part {
  /** `## Heading`, `- item` (numbered ones too), or `row <first cell>`; blanks made single. */
  readonly text: string;
  /** Items of one list at one depth share a number; a heading has none. */
  readonly list?: number;
}

const ITEM = /^(\s*)(?:[-*]|\d+\.)\s+(.*)$/u;

/** Every part outside code fences, in order. The title (level 1) is left out: it names the whole. */
export function outline(markdown: string): Part[] {
  const parts: Part[] = [];
  let fenced = false;
  let lists = 0;
  let depths = new Map<number, number>();
  let tableHead = true;
  let item: { text: string; list: number } | undefined;
  const endItem = (): void => {
    if (item !== undefined) parts.push({ text: item.text.replace(/\s+/gu, " ").trim(), list: item.list });
    item = undefined;
  };
  const endList = (): void => {
    endItem();
    depths = new Map();
    tableHead = true;
  };
  for (const line of markdown.split("\n")) {
    if (/^\s*```/u.test(line)) {
      endList();
      fenced = !fenced;
      continue;
    }
    if (fenced) continue;
    const heading = /^(#{1,6}) (.*)$/u.exec(line);
    const entry = ITEM.exec(line);
    if (heading !== null) {
      endList();
      if (heading[1] !== "#") parts.push({ text: line.trim() });
    } else if (entry !== null) {
      endItem();
      const depth = entry[1]?.length ?? 0;
      for (const other of depths.keys()) if (other > depth) depths.delete(other);
      const list = depths.get(depth) ?? lists++;
      depths.set(depth, list);
      item = { text: `- ${entry[2] ?? ""}`, list };
    } else if (line.startsWith("|")) {
      endItem();
      const cell = line.split("|")[1]?.trim() ?? "";
      if (/^-+$/u.test(cell)) tableHead = false;
      else if (!tableHead) {
        const list = depths.get(-1) ?? lists++;
        depths.set(-1, list);
        parts.push({ text: `row ${cell}`, list });
      }
    } else if (item !== undefined && /^\s+\S/u.test(line)) item.text += ` ${line.trim()}`;
    else if (line.trim() !== "") endList();
    else endItem();
  }
  endList();
  return parts;
}

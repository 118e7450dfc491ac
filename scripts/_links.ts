// Owns: links in Markdown that lead nowhere.

import path from "node:path";

/**
 * Relative links of a page that no file of the set answers, with the anchors that no heading of the page itself has. Addresses are not
 * looked at, and neither is code.
 */
export function deadLinks(page: string, text: string, files: ReadonlySet<string>): string[] {
  const prose = text.replace(/^(`{3,})[^]*?^\1`*$/gm, "").replace(/`[^`\n]*`/g, "");
  const anchors = new Set(Array.from(text.matchAll(/^#{1,6} (.+)$/gm), ([, title = ""]) => anchorOf(title)));
  const dead: string[] = [];
  for (const [, link = ""] of prose.matchAll(/\]\(([^()\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [place = "", anchor] = link.split("#");
    const target = path.posix.normalize(path.posix.join(path.posix.dirname(page), place));
    if (place === "" ? anchor !== undefined && !anchors.has(anchor) : !files.has(target)) dead.push(link);
  }
  return dead;
}

/** As GitHub names a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

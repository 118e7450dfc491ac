// Owns: the folding under which two names count as one on file systems that ignore letter case.
// Must never: be shown. A folded name is a key, not a spelling.

const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;
const NOT_ASCII = /[\u0080-\uffff]/;

/**
 * One text for all spellings that some file system takes for the same name: letter case, composition and characters
 * that are never drawn make no difference. Folding twice changes nothing more.
 *
 * @example foldText("README.md") === foldText("readme.MD") // true
 */
export function foldText(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  let folded = text;
  // Some letters meet only in one direction (the sharp s, the dotless i), and folding one can compose with the next.
  for (let round = 0; round < 3; round++) {
    const before = folded;
    folded = folded.normalize("NFC").replace(IGNORED, "").toLowerCase().toUpperCase().toLowerCase();
    folded = folded.normalize("NFC");
    if (folded === before) break;
  }
  return folded;
}

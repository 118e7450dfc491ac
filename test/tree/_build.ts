// Small trees from one line of text, so that tests read like what they are about.

import {
  addChild,
  createTree,
  EMPTY_FOREST,
  tagNode,
  type Forest,
  type TreeReading,
  Pins,
} from "../../src/tree/operations.ts";
import type { Json } from "../../src/value.ts";

/**
 * `Plan{ Task a prio=5 .urgent { Note b } Task c }`: type, name, properties as JSON without blanks after =, tags after a dot, children in
 * braces. The first is the root. Ids are n0, n1, ... in the order of the text.
 */
export function forestOf(text: string, base: Forest = EMPTY_FOREST): Forest {
  const words = text.match(/[^\s{}=]+=(?:"[^"]*"|\{\S*\}|\[\S*\]|[^\s{}]+)|[{}]|[^\s{}]+/g) ?? [];
  let forest = base;
  const line: string[] = [];
  let at = 0;
  let last = "";
  while (at < words.length) {
    const word = words[at++] as string;
    if (word === "{") {
      line.push(last);
      continue;
    }
    if (word === "}") {
      line.pop();
      continue;
    }
    const payloadProps: Record<string, Json> = {};
    const tags: string[] = [];
    for (; at < words.length && words[at] !== "{" && words[at] !== "}"; at++) {
      const part = words[at] as string;
      const equals = part.indexOf("=");
      if (part.startsWith(".")) tags.push(part.slice(1));
      else if (equals > 0) payloadProps[part.slice(0, equals)] = JSON.parse(part.slice(equals + 1)) as Json;
      else if (/^[A-Z]/.test(part)) break;
      else payloadProps["name"] = part;
    }
    if (line.length === 0 && last === "") {
      const made = createTree(forest, { payloadType: word, payloadProps });
      forest = made.forest;
      last = made.result.rootNodeId;
    } else {
      const made = addChild(forest, { parentNodeId: line.at(-1) as string, payloadType: word, payloadProps });
      forest = made.forest;
      last = made.result.nodeId;
    }
    if (tags.length > 0) forest = tagNode(forest, { nodeId: last, tags }).forest;
  }
  return forest;
}

/** A read of a forest by one agent. */
export function readingOf(forest: Forest, more: Partial<TreeReading> = {}): TreeReading {
  return { forest, pins: new Pins(), agent: "ann", now: 0, ...more };
}

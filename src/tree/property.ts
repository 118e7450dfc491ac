// Owns: reading a node's property by path, with the few names that belong to the node itself.

import type { Json } from "../value.ts";
import { propertyPath, valueAt } from "./payload.ts";
import type { NodeRecords } from "./tree.ts";

export type ReadProperty = (nodes: NodeRecords, slot: number) => Json | undefined;

/**
 * A reader for `title`, `meta.owner`, `items.0.name`; also `NodeId`, `PayloadType` and `ChildrenCount`, which no
 * payload can have.
 */
export function propertyReader(text: string): ReadProperty {
  switch (text.toLowerCase()) {
    case "nodeid":
      return (nodes, slot) => nodes.idOf(slot);
    case "payloadtype":
      return (nodes, slot) => nodes.typeOf(slot);
    case "childrencount":
      return (nodes, slot) => nodes.countOf(slot);
    default: {
      const path = propertyPath(text);
      return (nodes, slot) => valueAt(nodes.payloadOf(slot), path);
    }
  }
}

// Owns: checking nodes against a ruleset.
// Must never: change anything, or stop counting: violations beyond the limit are numbered.

import { echo, say, sayAll, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { checkFieldNames } from "../text/options.ts";
import type { Json } from "../value.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import type { Forest } from "./forest.ts";
import { isKind } from "./payload-types.ts";
import { propertyReader, type ReadProperty } from "./property.ts";
import { pathText } from "./read.ts";
import type { Rule, RuleName, Ruleset } from "./ruleset.ts";
import { runNow, STEP, type Steps } from "./steps.ts";
import { sameValue } from "./payload.ts";
import type { Tree } from "./tree.ts";
import { BranchWalk } from "./walk.ts";

/** A node that breaks a rule. */
export interface Violation {
  /** The node. */
  readonly nodeId: string;
  /** Names from the root. */
  readonly path: string;
  /** Which kind of rule is broken. */
  readonly rule: RuleName;
  /** The property. */
  readonly property?: string;
  /** What is wrong, in words. */
  readonly message: string;
}

/** What a ruleset says of the nodes that were checked. */
export interface TreeValidation {
  /** The ruleset. */
  readonly ruleset: string;
  /** How many nodes were looked at. */
  readonly checked: number;
  /** All of them, also those beyond the limit. */
  readonly total: number;
  /** What breaks a rule. */
  readonly violations: readonly Violation[];
}

interface Finding {
  readonly message: Shown;
  readonly property?: string;
}

type Check = (tree: Tree, slot: number, depth: number, find: (finding: Finding) => void) => void;

/**
 * Every node of a tree, or of a branch, against a ruleset. O(nodes x rules). Throws `not_found` for an unknown node or
 * tree, `tree_required` where several could be meant. What a rule finds is returned.
 *
 * @example const validation = await runPaced(validateTreeSteps(forest, ruleset));
 */
export function* validateTreeSteps(
  forest: Forest,
  ruleset: Ruleset,
  input: { readonly tree?: string; readonly rootNodeId?: string } = {},
  limits: Limits = DEFAULT_LIMITS,
): Steps<TreeValidation> {
  checkFieldNames(say`validateTree`, input, { tree: true, rootNodeId: true });
  const { tree, slot: root } =
    input.rootNodeId === undefined
      ? { tree: forest.tree(input.tree), slot: ROOT_SLOT }
      : forest.node(input.rootNodeId);
  const checks = bind(ruleset, tree, true);
  const above = tree.depthOf(root);
  const violations: Violation[] = [];
  let total = 0;
  let checked = 0;
  for (const walk = new BranchWalk(tree, root); walk.next();) {
    const { slot } = walk;
    checkNode(checks, tree, slot, above + walk.depth, (violation) => {
      total++;
      if (violations.length < limits.batchItems) violations.push(violation());
    });
    if (++checked % (STEP / 4) === 0) yield;
  }
  return { ruleset: ruleset.id, checked, total, violations };
}

/**
 * As {@link validateTreeSteps}, at once. Throws what it throws.
 *
 * @example validateTree(forest, ruleset, { tree: "t1" })
 */
export function validateTree(
  forest: Forest,
  ruleset: Ruleset,
  input: { readonly tree?: string; readonly rootNodeId?: string } = {},
  limits: Limits = DEFAULT_LIMITS,
): TreeValidation {
  return runNow(validateTreeSteps(forest, ruleset, input, limits));
}

/**
 * The payload of one node against the rules that look at payloads. O(rules). Throws `not_found` for an unknown node.
 *
 * @example lintPayload(forest, ruleset, { nodeId: "n1" })
 */
export function lintPayload(
  forest: Forest,
  ruleset: Ruleset,
  input: { readonly nodeId: string },
): TreeValidation {
  checkFieldNames(say`lintPayload`, input, { nodeId: true });
  const { tree, slot } = forest.node(input.nodeId);
  const violations: Violation[] = [];
  checkNode(bind(ruleset, tree, false), tree, slot, 0, (violation) => violations.push(violation()));
  return { ruleset: ruleset.id, checked: 1, total: violations.length, violations };
}

interface Bound {
  readonly rule: Rule;
  readonly types: ReadonlySet<string> | undefined;
  readonly check: Check;
}

function checkNode(
  checks: readonly Bound[],
  tree: Tree,
  slot: number,
  depth: number,
  violate: (make: () => Violation) => void,
): void {
  const type = tree.typeOf(slot);
  for (const { rule, types, check } of checks) {
    if (types !== undefined && !types.has(type)) continue;
    check(tree, slot, depth, ({ message, property }) =>
      violate(() => ({
        nodeId: tree.idOf(slot),
        path: pathText(tree, slot),
        rule: rule.rule,
        ...(property === undefined ? {} : { property }),
        message: rule.message ?? message,
      })),
    );
  }
}

const STRUCTURE: ReadonlySet<RuleName> = new Set(["children", "parents", "unique", "depth", "childrenCount"]);

function bind(ruleset: Ruleset, tree: Tree, structure: boolean): Bound[] {
  return ruleset.rules
    .filter((rule) => structure || !STRUCTURE.has(rule.rule))
    .map((rule) => ({
      rule,
      types: rule.types === undefined ? undefined : new Set(rule.types),
      check: bindRule(rule, ruleset, tree),
    }));
}

/** A check of one property that only looks at nodes that have it. */
function onValue(property: string, test: (value: Json) => Shown | undefined): Check {
  const read = propertyReader(property);
  return (tree, slot, _depth, find) => {
    const value = read(tree, slot);
    if (value === undefined || value === null) return;
    const message = test(value);
    if (message !== undefined) find({ message, property });
  };
}

function bindRule(rule: Rule, ruleset: Ruleset, tree: Tree): Check {
  switch (rule.rule) {
    case "required": {
      const reads = rule.properties.map((name): [string, ReadProperty] => [name, propertyReader(name)]);
      return (_tree, slot, _depth, find) => {
        for (const [name, read] of reads) {
          const value = read(tree, slot);
          if (value === undefined || value === null || (typeof value === "string" && value.trim() === ""))
            find({ message: say`${echo(name)} is required`, property: name });
        }
      };
    }
    case "kind":
      return onValue(rule.property, (value) =>
        isKind(value, rule.kind) ? undefined : say`${echo(rule.property)} must be ${echo(rule.kind)}`,
      );
    case "range": {
      const { min = -Infinity, max = Infinity } = rule;
      return onValue(rule.property, (value) =>
        typeof value !== "number" || (value >= min && value <= max)
          ? undefined
          : say`${echo(rule.property)} is ${value}, outside ${bounds(rule.min, rule.max)}`,
      );
    }
    case "length": {
      const { min = 0, max = Infinity } = rule;
      return onValue(rule.property, (value) => {
        const length =
          typeof value === "string" || Array.isArray(value) ? (value as string).length : undefined;
        return length === undefined || (length >= min && length <= max)
          ? undefined
          : say`${echo(rule.property)} has length ${length}, outside ${bounds(rule.min, rule.max)}`;
      });
    }
    case "pattern": {
      const pattern = ruleset.patterns.get(rule);
      return onValue(rule.property, (value) =>
        typeof value !== "string" || pattern?.matcher(value).find() === true
          ? undefined
          : say`${echo(rule.property)} does not match ${echo(rule.pattern)}`,
      );
    }
    case "oneOf":
      return onValue(rule.property, (value) =>
        rule.values.some((allowed) => sameValue(allowed, value))
          ? undefined
          : say`${echo(rule.property)} must be one of ${sayAll(rule.values.slice(0, 20).map((allowed) => echo(JSON.stringify(allowed))))}`,
      );
    case "children": {
      const allow = new Set(rule.allow);
      return (_tree, slot, _depth, find) => {
        for (let child = tree.firstOf(slot); child !== NO_SLOT; child = tree.nextOf(child))
          if (!allow.has(tree.typeOf(child)))
            find({
              message: say`${echo(tree.idOf(child))} of type ${echo(tree.typeOf(child))} is not allowed here`,
            });
      };
    }
    case "parents": {
      const allow = new Set(rule.allow);
      return (_tree, slot, _depth, find) => {
        const parent = tree.parentOf(slot);
        if (parent !== NO_SLOT && !allow.has(tree.typeOf(parent)))
          find({ message: say`must not be under the type ${echo(tree.typeOf(parent))}` });
      };
    }
    case "unique":
      return uniqueCheck(rule.property, tree, rule.types);
    case "depth":
      return (_tree, _slot, depth, find) => {
        if (depth > rule.max) find({ message: say`is at depth ${depth}, deeper than ${rule.max}` });
      };
    case "childrenCount": {
      const { min = 0, max = Infinity } = rule;
      return (_tree, slot, _depth, find) => {
        const count = tree.countOf(slot);
        if (count < min || count > max)
          find({ message: say`has ${count} children, outside ${bounds(rule.min, rule.max)}` });
      };
    }
  }
}

function bounds(min: number | undefined, max: number | undefined): Shown {
  if (min === undefined) return max === undefined ? say`any` : say`at most ${max}`;
  return max === undefined ? say`at least ${min}` : say`${min} to ${max}`;
}

/** Values seen so far among the children of one parent; a walk meets siblings one after another, branches between. */
function uniqueCheck(property: string, tree: Tree, types: readonly string[] | undefined): Check {
  const read = propertyReader(property);
  const wanted = types === undefined ? undefined : new Set(types);
  const firsts = new Map<number, Map<string, number>>();
  return (_tree, slot, _depth, find) => {
    const parent = tree.parentOf(slot);
    const value = read(tree, slot);
    if (parent === NO_SLOT || value === undefined || value === null) return;
    let seen = firsts.get(parent);
    if (seen === undefined) {
      seen = new Map();
      firsts.set(parent, seen);
      for (let at = tree.firstOf(parent); at !== NO_SLOT; at = tree.nextOf(at)) {
        const own = read(tree, at);
        if (own === undefined || own === null || wanted?.has(tree.typeOf(at)) === false) continue;
        const key = JSON.stringify(own);
        if (!seen.has(key)) seen.set(key, at);
      }
    }
    const first = seen.get(JSON.stringify(value)) ?? slot;
    if (first !== slot)
      find({
        message: say`${echo(property)} repeats that of its sibling ${echo(tree.idOf(first))}`,
        property,
      });
    if (tree.nextOf(slot) === NO_SLOT) firsts.delete(parent);
  };
}

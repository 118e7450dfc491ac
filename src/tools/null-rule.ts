// Owns: the null rule: `null` for an argument that is optional and not nullable means that it is absent, at any depth.
// Strict function-calling modes send it so. A declared nullable keeps its null.

import { z } from "zod";

type Strip = (value: unknown) => unknown;

const KEEP: Strip = (value) => value;

/** Prepares, once for each schema, the pass that drops such nulls. It copies only what it changes. */
export function nullStripper(schema: z.core.$ZodType): Strip {
  return stripperOf(schema, new Map()) ?? KEEP;
}

/** Undefined where nothing below can need stripping. `seen` ends the walk in schemas that contain themselves. */
function stripperOf(schema: z.core.$ZodType, seen: Map<z.core.$ZodType, Strip>): Strip | undefined {
  const known = seen.get(schema);
  if (known !== undefined) return known;
  let real: Strip = KEEP;
  const forward: Strip = (value) => real(value);
  seen.set(schema, forward);
  const made = build(schema, seen);
  if (made !== undefined) real = made;
  return made;
}

function build(schema: z.core.$ZodType, seen: Map<z.core.$ZodType, Strip>): Strip | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return stripperOf(schema.unwrap(), seen);
  if (schema instanceof z.ZodLazy) return stripperOf(schema.unwrap(), seen);
  if (schema instanceof z.ZodObject) return objectStripper(schema, seen);
  if (schema instanceof z.ZodArray) {
    const element = stripperOf(schema.element, seen);
    return element === undefined ? undefined : (value) => (Array.isArray(value) ? value.map(element) : value);
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options
      .map((option) => stripperOf(option, seen))
      .filter((option) => option !== undefined);
    return options.length === 0
      ? undefined
      : (value) => options.reduce((stripped, option) => option(stripped), value);
  }
  return undefined;
}

function objectStripper(schema: z.ZodObject, seen: Map<z.core.$ZodType, Strip>): Strip {
  const fields = new Map<string, { drop: boolean; strip: Strip | undefined }>();
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const drop = field.safeParse(undefined).success && !field.safeParse(null).success;
    const strip = stripperOf(field, seen);
    if (drop || strip !== undefined) fields.set(name, { drop, strip });
  }
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    let copy: Record<string, unknown> | undefined;
    const source = value as Record<string, unknown>;
    for (const [name, { drop, strip }] of fields) {
      if (!Object.hasOwn(source, name)) continue;
      const old = source[name];
      if (old === null) {
        if (drop) delete (copy ??= { ...source })[name];
        continue;
      }
      const stripped = strip?.(old) ?? old;
      if (stripped !== old) (copy ??= { ...source })[name] = stripped;
    }
    return copy ?? value;
  };
}

// Owns: what is said about a list of samples.

export interface Spread {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
}

/** NaN everywhere for no samples. */
export function spread(samples: readonly number[]): Spread {
  const sorted = Float64Array.from(samples).sort();
  return { median: quantile(sorted, 0.5), p10: quantile(sorted, 0.1), p90: quantile(sorted, 0.9) };
}

/** Of sorted samples; between two of them, the line that joins them. */
function quantile(sorted: Float64Array, at: number): number {
  const place = (sorted.length - 1) * at;
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}

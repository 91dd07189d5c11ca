const MAX_LENGTH = 60;

/** The known name that a misspelt one most resembles; undefined if none is close, or if the name is too long to compare. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  return withAllWords(name, known) ?? nearestSpelling(name, known);
}

/** The shortest known name that has every word of the given one: feature-environment-enabled for feature-enabled. */
function withAllWords(name: string, known: readonly string[]): string | undefined {
  const words = wordsOf(name);
  if (words.length < 2) return undefined;
  const [shortest] = known
    .filter(candidate => words.every(word => wordsOf(candidate).includes(word)))
    .toSorted((a, b) => a.length - b.length);
  return shortest;
}

const wordsOf = (name: string): string[] => name.toLowerCase().split(/[^a-z0-9]+/);

function nearestSpelling(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .filter(candidate => Math.abs(candidate.length - name.length) <= allowedDistance(candidate))
    .map(candidate => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= allowedDistance(candidate))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.candidate;
}

const allowedDistance = (candidate: string): number => Math.max(1, candidate.length / 3);

/** How many characters must be added, removed or replaced to turn one string into the other. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, character] of [...one].entries()) {
    const next = [at + 1];
    for (const [column, wanted] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (character === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

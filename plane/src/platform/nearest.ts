const MAX_LENGTH = 60;

/** Returns the known name that a misspelled name most resembles, or undefined if none is close or the name is too long to compare. */
export function nearestName(name: string, knownNames: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  return withAllWords(name, knownNames) ?? nearestSpelling(name, knownNames);
}

/** Returns the shortest known name with every word of the given name, such as feature-environment-enabled for feature-enabled. */
function withAllWords(name: string, knownNames: readonly string[]): string | undefined {
  const words = splitWords(name);
  if (words.length < 2) return undefined;
  const [shortest] = knownNames
    .filter(candidate => words.every(word => splitWords(candidate).includes(word)))
    .toSorted((a, b) => a.length - b.length);
  return shortest;
}

const splitWords = (name: string): string[] => name.toLowerCase().split(/[^a-z0-9]+/);

function nearestSpelling(name: string, knownNames: readonly string[]): string | undefined {
  const [nearest] = knownNames
    .filter(candidate => Math.abs(candidate.length - name.length) <= allowedDistance(candidate))
    .map(candidate => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= allowedDistance(candidate))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.candidate;
}

const allowedDistance = (candidate: string): number => Math.max(1, candidate.length / 3);

/** How many characters must be added, removed or replaced to turn one string into the other. */
function editDistance(text: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...text].entries()) {
    const next = [index + 1];
    for (const [column, otherCharacter] of [...other].entries()) {
      const replacement = (row[column] ?? 0) + (character === otherCharacter ? 0 : 1);
      next.push(Math.min(replacement, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

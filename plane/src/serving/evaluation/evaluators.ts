import { featuresOf, type Scope, segmentsOf } from '../state/scope.ts';
import { type Evaluator, makeEvaluator } from './evaluator.ts';
import { type Flag, flagOf, type ParsedSegment, segmentOf } from './flags.ts';
import type { Slices } from './slices.ts';
import { combine, type Traits } from './traits.ts';

/** References to flags in all evaluators together, of 50 bytes each. The flags themselves are shared. */
const MAX_REFERENCES = 1_000_000;

/** All tokens with the same projects share an evaluator, so the server itself counts as the caller that builds it. */
const SERVER = '';

export type Evaluators = {
  /** The evaluator of a scope at its current revision. */
  of: (scope: Scope) => Evaluator | Promise<Evaluator>;
};

type Entry = { position: string; size: number; evaluator: Evaluator | Promise<Evaluator> };

/** Evaluators of the scopes that were used last. One is built again after a change in its scope. */
export function makeEvaluators(
  slices: Slices,
  mostReferences = MAX_REFERENCES,
  onSkipped = () => {},
): Evaluators {
  const entries = new Map<string, Entry>();
  let references = 0;

  const remove = (key: string): void => {
    references -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };

  const keep = (key: string, entry: Entry): void => {
    remove(key);
    entries.set(key, entry);
    references += entry.size;
    for (const oldest of entries.keys()) {
      if (references <= mostReferences || oldest === key) break;
      remove(oldest);
    }
  };

  return {
    of: scope => {
      const key = `${scope.environment} ${scope.id}`;
      const position = scope.etag.slice(1, -1);
      const known = entries.get(key);
      if (known?.position === position) return known.evaluator;
      const work = build(scope, position, onSkipped);
      const size = featuresOf(scope, scope.current).length;
      const entry: Entry = {
        position,
        size,
        evaluator: slices.run(SERVER, work, size).then(
          built => {
            if (!built) throw new Error('The work of an evaluator was dropped');
            entry.evaluator = built;
            return built;
          },
          error => {
            if (entries.get(key) === entry) remove(key);
            throw error;
          },
        ),
      };
      keep(key, entry);
      return entry.evaluator;
    },
  };
}

/** Copies the lists first: the environment changes in place while the work waits for its next slice. */
function build(scope: Scope, position: string, onSkipped: () => void): Generator<void, Evaluator> {
  const features = featuresOf(scope, scope.current);
  const used = segmentsOf(scope, scope.current);
  return (function* () {
    const segments = new Map<number, ParsedSegment>();
    for (const segment of used) {
      segments.set(segment.id, segmentOf(segment));
      yield;
    }
    const flags = new Map<string, Flag>();
    const traits = new Set<Traits>([...segments.values()].map(segment => segment.traits));
    for (const feature of features) {
      const flag = flagOf(feature);
      flags.set(flag.name, flag);
      if (matters(flag.traits)) traits.add(flag.traits);
      yield;
    }
    return makeEvaluator(position, flags, segments, combine([...traits]), onSkipped);
  })();
}

const matters = ({ isRandom, usesSession, usesVisitor, fields, dates }: Traits): boolean =>
  isRandom || usesSession || usesVisitor || fields.length > 0 || dates.length > 0;

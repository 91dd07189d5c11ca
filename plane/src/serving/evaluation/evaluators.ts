import { listFeatures, listSegments, type Scope } from '../state/scope.ts';
import { type Evaluator, makeEvaluator } from './evaluator.ts';
import { type Flag, type ParsedSegment, parseFlag, parseSegment } from './flags.ts';
import type { Slices } from './slices.ts';
import { combineTraits, type Traits } from './traits.ts';

/** References to flags in all evaluators together, of 50 bytes each. The flags themselves are shared. */
const MAX_REFERENCES = 1_000_000;

/** All tokens with the same projects share an evaluator, so the work of building it counts towards the server itself. */
const SERVER = '';

export type Evaluators = {
  /** Returns the evaluator of a scope at its current revision. */
  getEvaluator: (scope: Scope) => Evaluator | Promise<Evaluator>;
};

type Entry = { position: string; size: number; evaluator: Evaluator | Promise<Evaluator> };

/** Caches evaluators for the most recently used scopes. After a change in its scope, an evaluator is rebuilt. */
export function makeEvaluators(
  slices: Slices,
  maxReferences = MAX_REFERENCES,
  onSkipped = () => {},
): Evaluators {
  const entries = new Map<string, Entry>();
  let referenceCount = 0;

  const remove = (key: string): void => {
    referenceCount -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };

  /** Adds the entry as the newest one, or makes it the newest one if it is already stored. */
  const store = (key: string, entry: Entry): void => {
    remove(key);
    entries.set(key, entry);
    referenceCount += entry.size;
    for (const oldest of entries.keys()) {
      if (referenceCount <= maxReferences || oldest === key) break;
      remove(oldest);
    }
  };

  return {
    getEvaluator: scope => {
      const key = `${scope.environment} ${scope.id}`;
      const position = scope.etag.slice(1, -1);
      const cached = entries.get(key);
      if (cached?.position === position) {
        store(key, cached);
        return cached.evaluator;
      }
      const work = build(scope, position, onSkipped);
      const size = listFeatures(scope, scope.current).length;
      const entry: Entry = {
        position,
        size,
        evaluator: slices.run(SERVER, work, size).then(
          builtEvaluator => {
            if (!builtEvaluator) throw new Error('Building the evaluator was canceled');
            entry.evaluator = builtEvaluator;
            return builtEvaluator;
          },
          error => {
            if (entries.get(key) === entry) remove(key);
            throw error;
          },
        ),
      };
      store(key, entry);
      return entry.evaluator;
    },
  };
}

/** Copies the lists first, because the environment changes in place while the work waits for its next slice. */
function build(scope: Scope, position: string, onSkipped: () => void): Generator<void, Evaluator> {
  const features = listFeatures(scope, scope.current);
  const usedSegments = listSegments(scope, scope.current);
  return (function* () {
    const segments = new Map<number, ParsedSegment>();
    for (const segment of usedSegments) {
      segments.set(segment.id, parseSegment(segment));
      yield;
    }
    const flags = new Map<string, Flag>();
    const traits = new Set<Traits>([...segments.values()].map(segment => segment.traits));
    for (const feature of features) {
      const flag = parseFlag(feature);
      flags.set(flag.name, flag);
      if (hasAnyTrait(flag.traits)) traits.add(flag.traits);
      yield;
    }
    return makeEvaluator(position, flags, segments, combineTraits([...traits]), onSkipped);
  })();
}

const hasAnyTrait = ({ isRandom, usesSession, usesVisitor, fields, dates }: Traits): boolean =>
  isRandom || usesSession || usesVisitor || fields.length > 0 || dates.length > 0;

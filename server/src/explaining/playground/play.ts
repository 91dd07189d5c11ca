import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Patterns } from '../explanation/constraints.ts';
import type { Context } from '../explanation/context.ts';
import { evaluate, type ParentCache } from '../explanation/evaluate.ts';
import { makeTimeSlice, runInSlices } from '../explanation/time-slice.ts';
import type { Contexts } from './contexts.ts';
import { makeTimeLimit, rejectOversizedResponse } from './limits.ts';
import { readPastSubjects } from './past.ts';
import { toPlaygroundEvaluation } from './result.ts';
import type { NotEvaluated, PlaygroundEvaluation, Selection } from './schema.ts';
import { type RequestedEnvironments, readSubjects, type Subject } from './subjects.ts';

export type PlaygroundRun = { features: EvaluatedFeature[]; notEvaluated: NotEvaluated[] };

/** The evaluations of a feature as JSON, by environment. */
export type EvaluatedFeature = { name: string; project: string; environments: Map<string, string[]> };

type Serialize = (evaluation: PlaygroundEvaluation) => string;

/** Evaluates every feature in every environment for every context. Pauses in between to let other requests run. */
export async function evaluateAll(
  db: Db,
  actor: Actor,
  requestedEnvironments: RequestedEnvironments,
  selection: Selection,
  contexts: Contexts,
  serialize: Serialize,
): Promise<PlaygroundRun> {
  const slice = makeTimeSlice(makeTimeLimit());
  const { at } = selection;
  const subjects =
    at === undefined
      ? await readSubjects(db, actor, requestedEnvironments, selection, contexts.count, slice)
      : await readPastSubjects(db, actor, requestedEnvironments, { ...selection, at }, contexts.count);
  const evaluatedFeatures = new Map<string, EvaluatedFeature>();
  const now = (at === undefined ? new Date() : new Date(at)).toISOString();
  const patterns: Patterns = new Map();
  let size = 0;
  for (const [environment, environmentSubjects] of subjects.environments) {
    const features = new Map(environmentSubjects.map(({ feature }) => [feature.name, feature]));
    const documents = { features, segments: subjects.segments };
    for (let index = 0; index < contexts.count; index++) {
      const context: Context = { environment, ...contexts.at(index) };
      const inputs = { context, now, documents, patterns };
      const parents: ParentCache = new Map();
      for (const subject of environmentSubjects.filter(({ isSelected }) => isSelected)) {
        const evaluation = await runInSlices(evaluate(subject.feature, inputs, parents), slice);
        const text = serialize(toPlaygroundEvaluation(subject, environment, context, evaluation));
        size += Buffer.byteLength(text);
        rejectOversizedResponse(size);
        ensureEvaluations(evaluatedFeatures, subject, environment).push(text);
        if (slice.isOver()) await slice.pause();
      }
    }
  }
  return {
    features: [...evaluatedFeatures.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    notEvaluated: subjects.notEvaluated,
  };
}

function ensureEvaluations(
  evaluatedFeatures: Map<string, EvaluatedFeature>,
  { project, feature: { name } }: Subject,
  environment: string,
): string[] {
  const feature = evaluatedFeatures.get(name) ?? { name, project, environments: new Map<string, string[]>() };
  evaluatedFeatures.set(name, feature);
  const texts = feature.environments.get(environment) ?? [];
  feature.environments.set(environment, texts);
  return texts;
}

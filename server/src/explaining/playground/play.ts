import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Patterns } from '../explanation/constraints.ts';
import type { Context } from '../explanation/context.ts';
import { evaluate, type Parents } from '../explanation/evaluate.ts';
import { inTurns, makeTurn } from '../explanation/turns.ts';
import type { Contexts } from './contexts.ts';
import { rejectLargeResponse, rejectLater } from './limits.ts';
import { readPastSubjects } from './past.ts';
import { resultOf } from './result.ts';
import type { NotEvaluated, PlaygroundEvaluation, Selection } from './schema.ts';
import { type RequestedEnvironments, readSubjects, type Subject } from './subjects.ts';

export type Played = { features: PlayedFeature[]; notEvaluated: NotEvaluated[] };

/** The evaluations of a feature as JSON, by environment. */
export type PlayedFeature = { name: string; project: string; environments: Map<string, string[]> };

type Serialize = (evaluation: PlaygroundEvaluation) => string;

/** Evaluates every feature in every environment for every context. Other requests run in between. */
export async function play(
  db: Db,
  actor: Actor,
  asked: RequestedEnvironments,
  selection: Selection,
  contexts: Contexts,
  serialize: Serialize,
): Promise<Played> {
  const turn = makeTurn(rejectLater());
  const { at } = selection;
  const subjects =
    at === undefined
      ? await readSubjects(db, actor, asked, selection, contexts.count, turn)
      : await readPastSubjects(db, actor, asked, { ...selection, at }, contexts.count);
  const played = new Map<string, PlayedFeature>();
  const now = (at === undefined ? new Date() : new Date(at)).toISOString();
  const patterns: Patterns = new Map();
  let size = 0;
  for (const [environment, list] of subjects.environments) {
    const features = new Map(list.map(({ feature }) => [feature.name, feature]));
    const documents = { features, segments: subjects.segments };
    for (let index = 0; index < contexts.count; index++) {
      const context: Context = { environment, ...contexts.at(index) };
      const circumstances = { context, now, documents, patterns };
      const parents: Parents = new Map();
      for (const subject of list.filter(({ chosen }) => chosen)) {
        const evaluation = await inTurns(evaluate(subject.feature, circumstances, parents), turn);
        const text = serialize(resultOf(subject, environment, context, evaluation));
        size += Buffer.byteLength(text);
        rejectLargeResponse(size);
        placeOf(played, subject, environment).push(text);
        if (turn.isOver()) await turn.next();
      }
    }
  }
  return {
    features: [...played.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    notEvaluated: subjects.notEvaluated,
  };
}

function placeOf(
  played: Map<string, PlayedFeature>,
  { project, feature: { name } }: Subject,
  environment: string,
): string[] {
  const feature = played.get(name) ?? { name, project, environments: new Map<string, string[]>() };
  played.set(name, feature);
  const texts = feature.environments.get(environment) ?? [];
  feature.environments.set(environment, texts);
  return texts;
}

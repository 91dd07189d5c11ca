import type { App } from '../../../../plane/src/platform/http/app.ts';
import { ALL, errorResponses, jsonResponse, Ref } from '../../../../plane/src/platform/http/schema.ts';
import { asBytes, type Pieces } from '../../platform/http/output/stream.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import { requestedContexts, singleContext } from './contexts.ts';
import { type Played, type PlayedFeature, play } from './play.ts';
import {
  AdvancedPlaygroundRequest,
  AdvancedPlaygroundResult,
  PLAYGROUND_SCHEMAS,
  PlaygroundEvaluation,
  PlaygroundRequest,
  PlaygroundResult,
} from './schema.ts';

const tags = ['Playground'];
const EVALUATION = { ...Ref(PlaygroundEvaluation) };
/** Strings that are written into one buffer. */
const TEXTS_PER_PIECE = 100;

export function playgroundRoutes(app: App, longReads: LongReads): void {
  for (const schema of PLAYGROUND_SCHEMAS) app.addSchema(schema);

  app.post(
    '/api/admin/playground',
    {
      config: { permission: 'NONE', onlyReads: true },
      schema: {
        operationId: 'getPlayground',
        tags,
        summary: 'Evaluate features for a context',
        description:
          'Returns the result that SDKs compute for the context, for each feature of the environment that the caller may read, and explains it: the strategy that matched, each constraint with the value it compared, buckets and thresholds of rollouts and variants, and the state of parents. Drafts are evaluated instead of the saved strategies. With at, features are evaluated as they were at a past time. Nothing is saved. Every authenticated caller may call it.',
        body: PlaygroundRequest,
        response: {
          200: jsonResponse('The results', PlaygroundResult),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { environment, projects = ALL, context, ...selection } = request.body;
      const serialize = reply.compileSerializationSchema(EVALUATION);
      const { at } = selection;
      const asked = { names: [environment], pathOf: () => 'environment' };
      return await longReads.send(reply, async function* (db): Pieces {
        const contexts = singleContext(context);
        const played = await play(db, request.actor, asked, { ...selection, projects }, contexts, serialize);
        yield `{"input":${JSON.stringify({ environment, projects, context, at })},"features":[`;
        yield* listed(played.features.flatMap(feature => feature.environments.get(environment) ?? []));
        yield endOf(at, played);
      });
    },
  );

  app.post(
    '/api/admin/playground/advanced',
    {
      config: { permission: 'NONE', onlyReads: true },
      schema: {
        operationId: 'getAdvancedPlayground',
        tags,
        summary: 'Evaluate features for many contexts',
        description:
          'Evaluates features like the operation without /advanced, in several environments and for every combination of context values. A context value can be a comma-separated list. With contexts instead of context, evaluates each of up to 50 listed contexts as it is. Nothing is saved. Every authenticated caller may call it.',
        body: AdvancedPlaygroundRequest,
        response: {
          200: jsonResponse('The results', AdvancedPlaygroundResult),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { environments, projects = ALL, context, contexts, ...selection } = request.body;
      const serialize = reply.compileSerializationSchema(EVALUATION);
      const { at } = selection;
      const asked = { names: environments, pathOf: (index: number) => `environments/${index}` };
      return await longReads.send(reply, async function* (db): Pieces {
        const every = requestedContexts(request.body);
        const played = await play(db, request.actor, asked, { ...selection, projects }, every, serialize);
        yield `{"input":${JSON.stringify({ environments, projects, context, contexts, at })},"features":[`;
        for (const [index, feature] of played.features.entries()) yield* advanced(feature, index);
        yield endOf(at, played);
      });
    },
  );
}

/** The end of the feature list, and the rest of the response. */
const endOf = (at: string | undefined, { notEvaluated }: Played): string =>
  at === undefined ? ']}' : `],"notEvaluated":${JSON.stringify(notEvaluated)}}`;

async function* listed(texts: string[]): Pieces {
  for (let at = 0; at < texts.length; at += TEXTS_PER_PIECE) {
    const bytes = asBytes(texts.slice(at, at + TEXTS_PER_PIECE), ',');
    yield at === 0 ? bytes.subarray(1) : bytes;
  }
}

async function* advanced({ name, project, environments }: PlayedFeature, at: number): Pieces {
  const beginning = JSON.stringify({ name, projectId: project }).slice(0, -1);
  yield `${at === 0 ? '' : ','}${beginning},"environments":{`;
  for (const [index, [environment, texts]] of [...environments].entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(environment)}:[`;
    yield* listed(texts);
    yield ']';
  }
  yield '}}';
}

import type { App } from '@halyard/plane/platform/http/app.ts';
import { ALL, errorResponses, jsonResponse, Ref } from '@halyard/plane/platform/http/schema.ts';
import { type Pieces, toBytes } from '../../platform/http/output/stream.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import { toContexts, toSingleContext } from './contexts.ts';
import { type EvaluatedFeature, evaluateAll, type PlaygroundRun } from './play.ts';
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
/** How many small strings are joined into one buffer. */
const STRINGS_PER_CHUNK = 100;

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
          'Returns the result that SDKs compute for the context, for each feature of the environment that the caller can read, and explains it: the strategy that matched, each constraint with the value it compared, buckets and thresholds of rollouts and variants, and the state of parents. Drafts are evaluated instead of the saved strategies. With at, features are evaluated as they were at a past time. Nothing is saved. Every authenticated caller may call it.',
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
      const requestedEnvironments = { names: [environment], getPath: () => 'environment' };
      return await longReads.send(reply, async function* (db): Pieces {
        const contexts = toSingleContext(context);
        const run = await evaluateAll(
          db,
          request.actor,
          requestedEnvironments,
          { ...selection, projects },
          contexts,
          serialize,
        );
        yield `{"input":${JSON.stringify({ environment, projects, context, at })},"features":[`;
        yield* writeList(run.features.flatMap(feature => feature.environments.get(environment) ?? []));
        yield closingText(at, run);
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
          'Evaluates features like POST /api/admin/playground, but in several environments and for every combination of context values. A context value can be a comma-separated list. With contexts instead of context, evaluates each of up to 50 listed contexts as it is. Nothing is saved. Every authenticated caller may call it.',
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
      const requestedEnvironments = {
        names: environments,
        getPath: (index: number) => `environments/${index}`,
      };
      return await longReads.send(reply, async function* (db): Pieces {
        const allContexts = toContexts(request.body);
        const run = await evaluateAll(
          db,
          request.actor,
          requestedEnvironments,
          { ...selection, projects },
          allContexts,
          serialize,
        );
        yield `{"input":${JSON.stringify({ environments, projects, context, contexts, at })},"features":[`;
        for (const [index, feature] of run.features.entries()) yield* writeFeature(feature, index);
        yield closingText(at, run);
      });
    },
  );
}

/** Closes the feature list and completes the response body. */
const closingText = (time: string | undefined, { notEvaluated }: PlaygroundRun): string =>
  time === undefined ? ']}' : `],"notEvaluated":${JSON.stringify(notEvaluated)}}`;

async function* writeList(texts: string[]): Pieces {
  for (let start = 0; start < texts.length; start += STRINGS_PER_CHUNK) {
    const bytes = toBytes(texts.slice(start, start + STRINGS_PER_CHUNK), ',');
    yield start === 0 ? bytes.subarray(1) : bytes;
  }
}

async function* writeFeature({ name, project, environments }: EvaluatedFeature, index: number): Pieces {
  const openingFields = JSON.stringify({ name, projectId: project }).slice(0, -1);
  yield `${index === 0 ? '' : ','}${openingFields},"environments":{`;
  for (const [position, [environment, texts]] of [...environments].entries()) {
    yield `${position === 0 ? '' : ','}${JSON.stringify(environment)}:[`;
    yield* writeList(texts);
    yield ']';
  }
  yield '}}';
}

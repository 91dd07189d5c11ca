import { readFile } from 'node:fs/promises';
import type { schemas } from '../../api/api.gen.ts';
import { command, ENVIRONMENT } from '../../command.ts';
import { CommandError, usageError } from '../../errors.ts';
import { sanitize } from '../../output.ts';
import { getData } from '../../requests.ts';
import { FLAG, findProject } from './find.ts';

/** The standard fields of a context. All other fields are properties. */
const STANDARD_FIELDS = ['appName', 'userId', 'sessionId', 'remoteAddress', 'currentTime'];

export const flagsExplain = command({
  name: 'flags explain',
  brief: 'Explain why a flag is enabled or disabled for a context',
  description:
    'The server evaluates the flag as an SDK does. With --at, it evaluates the flag as it was at a past time. With --draft, it evaluates strategies that are not saved.',
  args: { flag: FLAG },
  options: {
    environment: ENVIRONMENT,
    context: {
      type: 'string',
      value: 'field=value',
      short: 'c',
      many: true,
      brief: 'Field of the context, such as userId=7; can be repeated',
    },
    at: { type: 'string', value: 'time', brief: 'A past time, such as 2026-11-15T12:00:00Z' },
    draft: {
      type: 'string',
      value: 'file',
      brief: 'JSON file with strategies to try instead of the saved ones',
    },
    check: { type: 'choice', choices: ['enabled', 'disabled'], brief: 'Exit with 10 if the result differs' },
  },
  checks: true,
  calls: ['getPlayground'],
  output: 'PlaygroundResult',
  examples: [
    {
      does: 'Does user 7 get the flag?',
      run: 'flags explain checkout-v2 -e production -c userId=7 -c plan=pro',
    },
    {
      does: 'Did user 7 get it at noon?',
      run: 'flags explain checkout-v2 -e production -c userId=7 --at 2026-11-15T12:00:00Z',
    },
    {
      does: 'Fail a pipeline if it is not enabled',
      run: 'flags explain checkout-v2 -e production --check enabled',
    },
  ],
  run: async (context, { flag }, { environment: environmentOption, context: pairs, at, draft, check }) => {
    const environment = context.environment(environmentOption);
    const strategies = draft === undefined ? undefined : await readDraft(draft);
    const body = {
      environment,
      features: [flag],
      context: readContext(pairs ?? []),
      ...(at !== undefined && { at }),
      ...(strategies && { drafts: [{ feature: flag, environment, strategies }] }),
    };
    const result = await getData(
      context.read.POST('/api/admin/playground', { body: body as schemas['PlaygroundRequest'] }),
    ).catch(async (error: unknown) => {
      // The playground rejects an unknown flag only as invalid, whereas `findProject` reports that it does not exist.
      if (error instanceof CommandError && error.problem.status === 400)
        await findProject(context, flag, undefined);
      throw error;
    });
    if (check !== undefined && result.features[0]?.isEnabled !== (check === 'enabled')) context.failCheck();
    return result;
  },
  text: ({ features: [feature], notEvaluated = [] }) => {
    const [skippedFlag] = notEvaluated;
    if (!feature) return `Flag "${skippedFlag?.feature}" cannot be evaluated: ${skippedFlag?.reason}.`;
    const variant =
      feature.isEnabled && feature.variant?.name !== undefined && feature.variant.name !== 'disabled'
        ? `, variant "${sanitize(feature.variant.name)}"`
        : '';
    return [
      `${feature.isEnabled ? 'Enabled' : 'Disabled'}${variant}`,
      ...feature.explanation.map(line => `  ${sanitize(line)}`),
    ].join('\n');
  },
});

function readContext(pairs: string[]): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  const properties: Record<string, string> = {};
  for (const pair of pairs) {
    const separator = pair.indexOf('=');
    if (separator < 1)
      throw usageError(
        `The context field ${JSON.stringify(pair)} has no value. Write it as field=value, such as userId=7.`,
      );
    const [name, value] = [pair.slice(0, separator), pair.slice(separator + 1)];
    if (STANDARD_FIELDS.includes(name)) context[name] = value;
    else properties[name] = value;
  }
  return { ...context, ...(Object.keys(properties).length > 0 && { properties }) };
}

async function readDraft(file: string): Promise<unknown[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`Cannot read the draft: ${error.message}`);
  });
  const value: unknown = (() => {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw usageError(`${file} is not valid JSON: ${(error as Error).message}.`);
    }
  })();
  if (!Array.isArray(value))
    throw usageError(`${file} is not a list of strategies. Write it as [{"name": "flexibleRollout", …}].`);
  return value;
}

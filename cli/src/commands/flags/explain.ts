import { readFile } from 'node:fs/promises';
import type { schemas } from '../../api/api.gen.ts';
import { command, ENVIRONMENT } from '../../command.ts';
import { CommandError, wrongUse } from '../../errors.ts';
import { plain } from '../../output.ts';
import { data } from '../../requests.ts';
import { FLAG, projectOf } from './find.ts';

/** Fields of a context that SDKs know. Others are properties. */
const KNOWN = ['appName', 'userId', 'sessionId', 'remoteAddress', 'currentTime'];

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
  run: async (context, { flag }, { environment: given, context: pairs, at, draft, check }) => {
    const environment = context.environment(given);
    const strategies = draft === undefined ? undefined : await readDraft(draft);
    const body = {
      environment,
      features: [flag],
      context: readContext(pairs ?? []),
      ...(at !== undefined && { at }),
      ...(strategies && { drafts: [{ feature: flag, environment, strategies }] }),
    };
    const result = await data(
      context.read.POST('/api/admin/playground', { body: body as schemas['PlaygroundRequest'] }),
    ).catch(async (error: unknown) => {
      // The playground rejects an unknown flag as invalid, but this command is about one flag, so it reports that the flag does
      // not exist.
      if (error instanceof CommandError && error.problem.status === 400)
        await projectOf(context, flag, undefined);
      throw error;
    });
    if (check !== undefined && result.features[0]?.isEnabled !== (check === 'enabled')) context.failCheck();
    return result;
  },
  text: ({ features: [one], notEvaluated = [] }) => {
    const [missing] = notEvaluated;
    if (!one) return `Flag "${missing?.feature}" cannot be evaluated: ${missing?.reason}.`;
    const variant =
      one.isEnabled && one.variant?.name !== undefined && one.variant.name !== 'disabled'
        ? `, variant "${plain(one.variant.name)}"`
        : '';
    return [
      `${one.isEnabled ? 'Enabled' : 'Disabled'}${variant}`,
      ...one.explanation.map(line => `  ${plain(line)}`),
    ].join('\n');
  },
});

function readContext(pairs: string[]): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  const properties: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1)
      throw wrongUse(
        `The context field ${JSON.stringify(pair)} has no value. Write it as field=value, such as userId=7.`,
      );
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (KNOWN.includes(name)) context[name] = value;
    else properties[name] = value;
  }
  return { ...context, ...(Object.keys(properties).length > 0 && { properties }) };
}

async function readDraft(file: string): Promise<unknown[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw wrongUse(`Cannot read the draft: ${error.message}`);
  });
  const value: unknown = (() => {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw wrongUse(`${file} is not valid JSON: ${(error as Error).message}.`);
    }
  })();
  if (!Array.isArray(value))
    throw wrongUse(`${file} is not a list of strategies. Write it as [{"name": "flexibleRollout", …}].`);
  return value;
}

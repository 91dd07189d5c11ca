import { readApi } from '../../server/src/importing/unleash/source/api.ts';
import type { Send } from '../../server/src/importing/unleash/source/api-client.ts';
import { sendTo } from '../../server/src/importing/unleash/source/api-source.ts';
import { ADMIN_TOKEN, type Instance } from './instance.ts';

/** What an import through the API requests, with the responses, by method, path and body. */
export async function recordApi({ url }: Instance): Promise<Record<string, unknown>> {
  const send = sendTo(url, ADMIN_TOKEN);
  const recorded: Record<string, unknown> = {};
  const recording: Send = async (method, path, body) => {
    const sent = await send(method, path, body);
    const key = `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`.trimEnd();
    recorded[key] = { status: sent.status, body: withoutTexts(sent.body) };
    return sent;
  };
  await readApi(recording);
  return recorded;
}

/** Fields that an import reads. The others, and descriptions of what Unleash ships with, are not recorded. */
const LEFT_OUT = new Set(['createdBy', 'owners', 'stats', 'collaborators', 'onboardingStatus', 'imageUrl']);

function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(
    fields.map(([name, member]) => [name, isTextOfUnleash(name, member) ? '' : withoutTexts(member)]),
  );
}

const OWN = /^(All |The flag |Sweden|ISO code|Who owns it|For some teams|Names$|Money$)/;
const isTextOfUnleash = (name: string, value: unknown): boolean =>
  (name === 'description' || name === 'displayName') && typeof value === 'string' && !OWN.test(value);

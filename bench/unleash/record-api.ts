import { readApi } from '../../server/src/importing/unleash/source/api.ts';
import type { Send } from '../../server/src/importing/unleash/source/api-client.ts';
import { makeSend } from '../../server/src/importing/unleash/source/api-source.ts';
import { ADMIN_TOKEN, type Instance } from './instance.ts';

/** Records the responses that an import through the API reads, by method, path and body. */
export async function recordApi({ url }: Instance): Promise<Record<string, unknown>> {
  const send = makeSend(url, ADMIN_TOKEN);
  const responses: Record<string, unknown> = {};
  const recordingSend: Send = async (method, path, body) => {
    const response = await send(method, path, body);
    const key = `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`.trimEnd();
    responses[key] = { status: response.status, body: removeUnleashTexts(response.body) };
    return response;
  };
  await readApi(recordingSend);
  return responses;
}

/** Fields that no import reads. They are not recorded, and neither are descriptions that Unleash ships with. */
const OMITTED_FIELDS = new Set([
  'createdBy',
  'owners',
  'stats',
  'collaborators',
  'onboardingStatus',
  'imageUrl',
]);

function removeUnleashTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeUnleashTexts);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !OMITTED_FIELDS.has(name));
  return Object.fromEntries(
    fields.map(([name, member]) => [name, isUnleashText(name, member) ? '' : removeUnleashTexts(member)]),
  );
}

const OWN_TEXT = /^(All |The flag |Sweden|ISO code|Who owns it|For some teams|Names$|Money$)/;
const isUnleashText = (name: string, value: unknown): boolean =>
  (name === 'description' || name === 'displayName') && typeof value === 'string' && !OWN_TEXT.test(value);

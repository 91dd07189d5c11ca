// JSON from Unleash in a form that our events can store.

/** Events of these types can contain a secret, which older versions did not remove. */
const WITH_SECRETS =
  /^(api-token|pat|addon|public-signup|user|service-account|signal-endpoint|setting|client|scim|sso)/;
const SECRET =
  /secret|password|token_?value|authorization|^alias$|^verifier$|^bearer|apikey|api_key|customheaders|inviteurl|invitelink/i;
const MASK = '*****';
/** PostgreSQL's jsonb stores neither NUL nor half of a surrogate pair. */
const NOT_STORABLE = /\\u0000|\\u[dD][89a-fA-F]/;

/** The payload of an event as JSON: an object, without secrets. */
export function storableData(type: string, json: string | null): string | null {
  if (json === null || json === 'null') return null;
  const mayHaveSecret = WITH_SECRETS.test(type);
  if (json.startsWith('{') && !mayHaveSecret && !NOT_STORABLE.test(json)) return json;
  const cleaned = cleanedOf(JSON.parse(json), mayHaveSecret, type.startsWith('addon'));
  const isObject = typeof cleaned === 'object' && cleaned !== null && !Array.isArray(cleaned);
  return JSON.stringify(isObject ? cleaned : { value: cleaned });
}

function cleanedOf(value: unknown, mask: boolean, maskUrls: boolean): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(one => cleanedOf(one, mask, maskUrls));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isSecret = mask && (SECRET.test(name) || (maskUrls && /^(url|.*path)$/i.test(name)));
      const key = name.replaceAll('\0', '').toWellFormed();
      return [
        key,
        isSecret && typeof member === 'string' && member !== '' ? MASK : cleanedOf(member, mask, maskUrls),
      ];
    }),
  );
}

/** The tags of an event as JSON: a list of types and values. */
export function storableTags(json: string | null): string {
  if (json === null || json === '[]') return '[]';
  const tags: unknown = JSON.parse(json);
  if (!Array.isArray(tags)) return '[]';
  return JSON.stringify(
    tags.flatMap(tag =>
      typeof tag?.type === 'string' && typeof tag.value === 'string'
        ? [cleanedOf({ value: tag.value, type: tag.type }, false, false)]
        : [],
    ),
  );
}

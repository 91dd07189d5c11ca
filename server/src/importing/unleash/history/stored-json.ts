// Converts JSON from Unleash to a form that Halyard's events can store.

/** Events of these types can contain a secret, which older versions did not remove. */
const TYPES_WITH_SECRETS =
  /^(api-token|pat|addon|public-signup|user|service-account|signal-endpoint|setting|client|scim|sso)/;
const SECRET_FIELD =
  /secret|password|token_?value|authorization|^alias$|^verifier$|^bearer|apikey|api_key|customheaders|inviteurl|invitelink/i;
const MASK = '*****';
/** PostgreSQL's jsonb stores neither NUL nor half of a surrogate pair. */
const NOT_STORABLE = /\\u0000|\\u[dD][89a-fA-F]/;

/** Returns an event's payload as a JSON object without secrets. */
export function toStorableData(type: string, json: string | null): string | null {
  if (json === null || json === 'null') return null;
  const mayHaveSecret = TYPES_WITH_SECRETS.test(type);
  if (json.startsWith('{') && !mayHaveSecret && !NOT_STORABLE.test(json)) return json;
  const cleanValue = clean(JSON.parse(json), mayHaveSecret, type.startsWith('addon'));
  const isObject = typeof cleanValue === 'object' && cleanValue !== null && !Array.isArray(cleanValue);
  return JSON.stringify(isObject ? cleanValue : { value: cleanValue });
}

function clean(value: unknown, mask: boolean, maskUrls: boolean): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(item => clean(item, mask, maskUrls));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isSecret = mask && (SECRET_FIELD.test(name) || (maskUrls && /^(url|.*path)$/i.test(name)));
      const key = name.replaceAll('\0', '').toWellFormed();
      return [
        key,
        isSecret && typeof member === 'string' && member !== '' ? MASK : clean(member, mask, maskUrls),
      ];
    }),
  );
}

/** Returns an event's tags as a JSON list of types and values. */
export function toStorableTags(json: string | null): string {
  if (json === null || json === '[]') return '[]';
  const tags: unknown = JSON.parse(json);
  if (!Array.isArray(tags)) return '[]';
  return JSON.stringify(
    tags.flatMap(tag =>
      typeof tag?.type === 'string' && typeof tag.value === 'string'
        ? [clean({ value: tag.value, type: tag.type }, false, false)]
        : [],
    ),
  );
}

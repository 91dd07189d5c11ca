import { hashToken } from '@halyard/plane/platform/token.ts';
import { sql } from 'kysely';
import { parseTime, readBatches, toText } from '../source/source.ts';
import type { Item, Kind } from './kind.ts';
import { readUserKeys } from './people.ts';
import { rejectedProblem, toJsonRows } from './vocabulary.ts';

/** The description is not compared, because the import may change it to make it unique among the user's tokens. */
type PersonalToken = { hash: string; user: string; expiresAt: string | null };

const COLUMNS = [
  'id',
  'secret',
  'selector',
  'verifier',
  'description',
  'user_id',
  'expires_at',
  'created_at',
];

/** Tokens of users and service accounts, identified by hash. */
export const PERSONAL_TOKENS: Kind<PersonalToken> = {
  name: 'personal tokens',
  async *read({ source, isRejected }) {
    const users = await readUserKeys(source);
    const usedDescriptions = new Set<string>();
    for await (const rows of readBatches(source, {
      table: 'personal_access_tokens',
      columns: COLUMNS,
      orderBy: 'id',
    }))
      yield rows.flatMap((row): Item<PersonalToken>[] => {
        const user = users.get(Number(row.user_id));
        if (user === undefined) return [];
        const hash = toText(row.secret)
          ? hashToken(toText(row.secret)).toString('hex')
          : Buffer.from(toText(row.verifier), 'base64url').toString('hex');
        const sourceDescription = toText(row.description) || 'imported';
        // In Halyard, each of a user's tokens has a unique description.
        const description = usedDescriptions.has(`${user}/${sourceDescription}`)
          ? `${sourceDescription} (${Number(row.id)})`
          : sourceDescription;
        usedDescriptions.add(`${user}/${description}`);
        const expiresAt = parseTime(row.expires_at);
        return [
          {
            key: hash,
            label: `${description} of ${user}`,
            createdAt: parseTime(row.created_at),
            state: { hash, user, expiresAt },
            details: { description },
            problems: [
              ...(isRejected('users', user) ? [rejectedProblem(`user "${user}" was not imported`)] : []),
              ...(expiresAt === null ? [rejectedProblem('it never expires')] : []),
              ...(hash.length === 64 ? [] : [rejectedProblem('its hash is not a SHA-256 hash')]),
            ],
          },
        ];
      });
  },
  rowsToLock: keys =>
    sql`personal_access_tokens where hash = any(${keys.map(key => Buffer.from(key, 'hex'))}::bytea[]) order by id`,
  async find(db, keys) {
    const { rows } = await sql<PersonalToken>`
      select encode(hash, 'hex') as hash, lower(coalesce(email, username)) as user, expires_at as "expiresAt"
      from personal_access_tokens join users on users.id = user_id
      where hash = any(${keys.map(key => Buffer.from(key, 'hex'))}::bytea[])
      order by personal_access_tokens.id`.execute(db);
    return new Map(rows.map(row => [row.hash, row]));
  },
  async write(tx, items) {
    await sql`
      insert into personal_access_tokens (hash, user_id, description, created_at, expires_at)
      select decode(given.hash, 'hex'), users.id, case when exists (
          select from personal_access_tokens as other where other.user_id = users.id and other.description = given.description
        ) then given.description || ' ' || left(given.hash, 6) else given.description end, coalesce("createdAt", now()), "expiresAt"
      from jsonb_to_recordset(${toJsonRows(items)}::jsonb) as given (
        hash text, "user" text, description text, "createdAt" timestamptz, "expiresAt" timestamptz)
      join users on deleted_at is null and lower(coalesce(users.email, users.username)) = given."user"
      order by given.hash
      on conflict (hash) do update set expires_at = excluded.expires_at`.execute(tx);
  },
  event: (state, _, details) => ({ type: 'pat-created', data: { ...eventData(state), ...details } }),
  remove: {
    async write(tx, keys) {
      await sql`
        delete from personal_access_tokens
        where hash = any(${keys.map(key => Buffer.from(key, 'hex'))}::bytea[])`.execute(tx);
    },
    event: stateBefore => ({ type: 'pat-deleted', preData: eventData(stateBefore) }),
  },
};

/** Omits the hash, because it is derived from the secret. */
const eventData = ({ user, expiresAt }: PersonalToken): object => ({ username: user, expiresAt });

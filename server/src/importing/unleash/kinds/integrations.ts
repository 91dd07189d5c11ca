import { sql } from 'kysely';
import { providerNamed } from '../../../delivery/integrations/providers/list.ts';
import { openParameters, sealContextOf, sealParameters } from '../../../delivery/integrations/sealed.ts';
import { newSigningSecret } from '../../../delivery/integrations/signing.ts';
import { takeOverIntegration } from '../../../delivery/integrations/take-over.ts';
import { integrationViolations } from '../../../delivery/integrations/validate.ts';
import type { TargetPolicy } from '../../../platform/outgoing/address.ts';
import { MASK } from '../../../platform/secrets/mask.ts';
import { type Keyring, seal } from '../../../platform/secrets/seal.ts';
import { listOf, objectOf, optionalText, readBatches, textOf } from '../source/source.ts';
import { findIntegrations } from '../store.ts';
import { type Item, type Kind, keptId } from './kind.ts';
import { rejected } from './vocabulary.ts';

/** Sensitive parameters are masked, so that neither a digest nor an event contains them. */
type IntegrationState = {
  id: number;
  provider: string;
  description: string | null;
  enabled: boolean;
  parameters: Record<string, string>;
  events: string[];
  projects: string[];
  environments: string[];
};

const ALL = '*';
const COLUMNS = ['id', 'provider', 'description', 'parameters', 'events', 'projects', 'environments'];

/** Integrations are imported disabled, so that nothing is sent twice. They keep their ids. */
export function integrationsKind(keyring: Keyring, targets: TargetPolicy): Kind<IntegrationState> {
  /** The parameters of the batch that is being written, with their secrets. */
  const secrets = new Map<string, Record<string, string>>();
  return {
    name: 'integrations',
    async *read({ source }) {
      for await (const rows of readBatches(source, { table: 'addons', columns: COLUMNS, orderBy: 'id' })) {
        secrets.clear();
        yield rows.map((row): Item<IntegrationState> => {
          const id = Number(row.id);
          const provider = textOf(row.provider);
          const definitions = providerNamed(provider)?.parameters ?? [];
          const given = objectOf(row.parameters);
          const parameters = Object.fromEntries(
            definitions.flatMap(({ name }) =>
              textOf(given[name]) === '' ? [] : [[name, textOf(given[name])]],
            ),
          );
          secrets.set(String(id), parameters);
          const events = listOf(row.events).map(textOf);
          const violations = integrationViolations({ provider, parameters, events }, targets, undefined);
          return {
            key: String(id),
            label: `${provider} ${textOf(row.description) || id}`,
            state: {
              id,
              provider,
              description: optionalText(row.description),
              enabled: false,
              parameters: maskedParameters(provider, parameters),
              events,
              projects: withoutAll(listOf(row.projects).map(textOf)),
              environments: withoutAll(listOf(row.environments).map(textOf)),
            },
            problems: [
              ...(keptId(row.id) === undefined
                ? [rejected('its id is not a number from 1 to 1,000,000,000')]
                : []),
              ...(keyring.length === 0 ? [rejected('set HALYARD_SECRET_KEY to store its secrets')] : []),
              ...violations.map(({ message }) => rejected(message)),
            ],
          };
        });
      }
    },
    rows: keys => sql`integrations where id = any(${keys.map(Number)}) order by id`,
    async find(db, keys) {
      const rows = await findIntegrations(db, keys.map(Number));
      return new Map(
        rows.map(row => [
          String(row.id),
          {
            id: row.id,
            provider: row.provider,
            description: row.description,
            enabled: row.enabled,
            parameters: maskedParameters(row.provider, openParameters(keyring, row)),
            events: row.events,
            projects: row.projects,
            environments: row.environments,
          },
        ]),
      );
    },
    async write(tx, items) {
      for (const { key, state } of items) {
        const provider = providerNamed(state.provider);
        if (provider === undefined) continue;
        const fields = {
          ...state,
          ...sealParameters(keyring, state.id, provider, secrets.get(key) ?? {}),
          eventsWithoutProject: false,
          filter: null,
          ordered: false,
          whenExhausted: 'skip' as const,
        };
        const secret = provider.signed
          ? seal(keyring, sealContextOf(state.id, 'secret'), newSigningSecret())
          : null;
        await takeOverIntegration(tx, state.id, fields, secret);
      }
      await sql`select setval(pg_get_serial_sequence('integrations', 'id'), greatest(max(id), 1)) from integrations`.execute(
        tx,
      );
    },
    event: (after, before) => ({
      type: before === undefined ? 'addon-config-created' : 'addon-config-updated',
      data: after,
      preData: before ?? null,
    }),
  };
}

const withoutAll = (names: string[]): string[] => (names.includes(ALL) ? [] : names);

function maskedParameters(provider: string, parameters: Record<string, string>): Record<string, string> {
  const sensitive = new Set(
    (providerNamed(provider)?.parameters ?? []).filter(one => one.sensitive).map(({ name }) => name),
  );
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, sensitive.has(name) ? MASK : value]),
  );
}

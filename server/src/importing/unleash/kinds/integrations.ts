import { sql } from 'kysely';
import { importIntegration } from '../../../delivery/integrations/import.ts';
import { findProvider } from '../../../delivery/integrations/providers/list.ts';
import { buildSealContext, openParameters, sealParameters } from '../../../delivery/integrations/sealed.ts';
import { newSigningSecret } from '../../../delivery/integrations/signing.ts';
import { findIntegrationViolations } from '../../../delivery/integrations/validate.ts';
import type { TargetPolicy } from '../../../platform/outgoing/address.ts';
import { MASK } from '../../../platform/secrets/mask.ts';
import { type Keyring, seal } from '../../../platform/secrets/seal.ts';
import { optionalText, parseList, parseObject, readBatches, toText } from '../source/source.ts';
import { findIntegrations } from '../store.ts';
import { type Item, type Kind, toPreservedId } from './kind.ts';
import { rejectedProblem } from './vocabulary.ts';

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
export function makeIntegrationsKind(keyring: Keyring, targets: TargetPolicy): Kind<IntegrationState> {
  /** The parameters of the current batch, including their secrets. */
  const secrets = new Map<string, Record<string, string>>();
  return {
    name: 'integrations',
    followUp: {
      isNeeded: () => true,
      describe: count =>
        `${count} disabled, so that nothing is sent twice; enable them when you switch over, and disable them in Unleash`,
    },
    async *read({ source }) {
      for await (const rows of readBatches(source, { table: 'addons', columns: COLUMNS, orderBy: 'id' })) {
        secrets.clear();
        yield rows.map((row): Item<IntegrationState> => {
          const id = Number(row.id);
          const provider = toText(row.provider);
          const definitions = findProvider(provider)?.parameters ?? [];
          const sourceParameters = parseObject(row.parameters);
          const parameters = Object.fromEntries(
            definitions.flatMap(({ name }) =>
              toText(sourceParameters[name]) === '' ? [] : [[name, toText(sourceParameters[name])]],
            ),
          );
          secrets.set(String(id), parameters);
          const events = parseList(row.events).map(toText);
          const violations = findIntegrationViolations({ provider, parameters, events }, targets, undefined);
          return {
            key: String(id),
            label: `${provider} ${toText(row.description) || id}`,
            state: {
              id,
              provider,
              description: optionalText(row.description),
              enabled: false,
              parameters: maskParameters(provider, parameters),
              events,
              projects: withoutAll(parseList(row.projects).map(toText)),
              environments: withoutAll(parseList(row.environments).map(toText)),
            },
            unsupported:
              findProvider(provider) === undefined ? `Halyard has no integration of this kind` : undefined,
            problems: [
              ...(toPreservedId(row.id) === undefined
                ? [rejectedProblem('its id is not a number from 1 to 1,000,000,000')]
                : []),
              ...(keyring.length === 0
                ? [rejectedProblem('set HALYARD_SECRET_KEY to store its secrets')]
                : []),
              ...violations.map(({ message }) => rejectedProblem(message)),
            ],
          };
        });
      }
    },
    rowsToLock: keys => sql`integrations where id = any(${keys.map(Number)}) order by id`,
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
            parameters: maskParameters(row.provider, openParameters(keyring, row)),
            events: row.events,
            projects: row.projects,
            environments: row.environments,
          },
        ]),
      );
    },
    async write(tx, items) {
      for (const { key, state } of items) {
        const provider = findProvider(state.provider);
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
          ? seal(keyring, buildSealContext(state.id, 'secret'), newSigningSecret())
          : null;
        await importIntegration(tx, state.id, fields, secret);
      }
      await sql`select setval(pg_get_serial_sequence('integrations', 'id'), greatest(max(id), 1)) from integrations`.execute(
        tx,
      );
    },
    event: (state, stateBefore) => ({
      type: stateBefore === undefined ? 'addon-config-created' : 'addon-config-updated',
      data: state,
      preData: stateBefore ?? null,
    }),
  };
}

const withoutAll = (names: string[]): string[] => (names.includes(ALL) ? [] : names);

function maskParameters(provider: string, parameters: Record<string, string>): Record<string, string> {
  const sensitive = new Set(
    (findProvider(provider)?.parameters ?? [])
      .filter(parameter => parameter.sensitive)
      .map(({ name }) => name),
  );
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, sensitive.has(name) ? MASK : value]),
  );
}

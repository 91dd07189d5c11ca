import { useQuery } from '@tanstack/react-query';
import { environmentsQuery } from '../shell/queries.ts';
import { Env } from '../ui/Env.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import { cx } from '../ui/words.ts';
import {
  type Area,
  COLUMNS,
  getEnvironmentLabel,
  groupByArea,
  listOperations,
  sortEnvironmentPermissions,
} from './areas.ts';
import s from './matrix.module.css';
import {
  type Difference,
  findDifference,
  hasPermission,
  type PermissionKey,
  togglePermission,
} from './permission-keys.ts';
import type { Permissions } from './queries.ts';

type Props = {
  /** A root role also has instance-wide permissions. */
  isRoot: boolean;
  permissions: Permissions;
  heldKeys: readonly PermissionKey[];
  /** The role to compare with. */
  otherKeys: ReadonlySet<PermissionKey> | undefined;
  onlyDifferences: boolean;
  disabled: boolean;
  onChange(heldKeys: PermissionKey[]): void;
};

/** A table of a role's permissions, with a row for each area and for each environment permission. */
export function Matrix({
  isRoot,
  permissions,
  heldKeys,
  otherKeys,
  onlyDifferences,
  disabled,
  onChange,
}: Props) {
  const ownKeys = new Set(heldKeys);
  const types = useQuery(environmentsQuery).data?.environments ?? [];
  const environments = permissions.environments.map(({ name }) => name);
  const cell = (name: string, environment?: string) => ({
    name,
    environment,
    checked: hasPermission(ownKeys, name, environment),
    difference: findDifference(ownKeys, otherKeys, name, environment),
    disabled,
    onToggle: () => onChange(togglePermission(heldKeys, name, environment, environments)),
  });
  const names = sortEnvironmentPermissions(
    (permissions.environments[0]?.permissions ?? []).map(({ name }) => name),
  );
  const isDifferent = (name: string) =>
    [undefined, ...environments].some(
      environment => findDifference(ownKeys, otherKeys, name, environment) !== undefined,
    );
  const shownNames = onlyDifferences ? names.filter(isDifferent) : names;
  const areas = (list: Permissions['project']) =>
    groupByArea(list.map(({ name }) => name)).filter(
      ({ columns, more }) =>
        !onlyDifferences ||
        [...Object.values(columns), ...more.map(({ name }) => name)].some(name =>
          findDifference(ownKeys, otherKeys, name),
        ),
    );
  return (
    <>
      {isRoot && <Areas title="Instance-wide" areas={areas(permissions.root)} cell={cell} />}
      <Areas
        title={isRoot ? 'In every project that is not private' : 'In the project'}
        areas={areas(permissions.project)}
        cell={cell}
      />
      {shownNames.length > 0 && (
        <section className={s.part}>
          <h2>
            In environments <span>“All” includes environments that are added later</span>
          </h2>
          <div className={s.scroll}>
            <table className={cx(s.table, s.environments)} aria-label="In environments">
              <thead>
                <tr>
                  <th scope="col">Permission</th>
                  <th scope="col">All</th>
                  {environments.map(name => (
                    <th key={name} scope="col">
                      <Env name={name} type={types.find(type => type.name === name)?.type ?? ''} />
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {shownNames.map(name => (
                  <tr key={name}>
                    <th scope="row">
                      {getEnvironmentLabel(name)}
                      {!hasEffect([name]) && <NoEffect />}
                    </th>
                    <td>
                      <Cell {...cell(name)} label={`${getEnvironmentLabel(name)} in all environments`} />
                    </td>
                    {environments.map(environment => (
                      <td key={environment}>
                        <Cell
                          {...cell(name, environment)}
                          label={`${getEnvironmentLabel(name)} in ${environment}`}
                        />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </>
  );
}

type CellProps = {
  name: string;
  environment: string | undefined;
  checked: boolean;
  difference: Difference;
  disabled: boolean;
  onToggle(): void;
};

function Areas({
  title,
  areas,
  cell,
}: {
  title: string;
  areas: readonly Area[];
  cell(name: string): CellProps;
}) {
  if (areas.length === 0) return null;
  const hasMore = areas.some(({ more }) => more.length > 0);
  return (
    <section className={s.part}>
      <h2>{title}</h2>
      <div className={s.scroll}>
        <table className={s.table} aria-label={title}>
          <thead>
            <tr>
              <th scope="col">Area</th>
              {COLUMNS.map(column => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
              {hasMore && (
                <th scope="col" className={s.more}>
                  More
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {areas.map(({ area, columns, more }) => (
              <tr key={area}>
                <th scope="row">
                  {area}
                  {!hasEffect([...Object.values(columns), ...more.map(({ name }) => name)]) && <NoEffect />}
                </th>
                {COLUMNS.map(column => (
                  <td key={column}>
                    {columns[column] === undefined ? (
                      <span className={s.none} aria-hidden="true">
                        –
                      </span>
                    ) : (
                      <Cell {...cell(columns[column])} label={`${column}: ${area}`} />
                    )}
                  </td>
                ))}
                {hasMore && (
                  <td className={s.more}>
                    {more.map(({ name, label }) => (
                      <Cell key={name} {...cell(name)} label={`${label}: ${area}`} visibleLabel={label} />
                    ))}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const hasEffect = (names: readonly string[]): boolean => names.some(name => listOperations(name).length > 0);

/** Marks permissions that Unleash clients may set, but that no Halyard operation requires. */
const NoEffect = () => <small className={s.unused}>no effect</small>;

const MAX_OPERATIONS = 6;

/** A checkbox, tinted if the roles differ. The tooltip shows the permission and what it allows. */
function Cell({
  name,
  environment,
  checked,
  difference,
  disabled,
  label,
  visibleLabel,
  onToggle,
}: CellProps & { label: string; visibleLabel?: string }) {
  const operations = listOperations(name);
  const remaining = operations.length - MAX_OPERATIONS;
  const tooltip = (
    <>
      {operations.length > 0
        ? `Allows: ${operations.slice(0, MAX_OPERATIONS).join(', ')}`
        : 'Accepted for Unleash clients, but has no effect'}
      {remaining > 0 && ` and ${remaining} more`}
      {environment && ` in ${environment}`}
      <br />
      <span className="mono">{name}</span>
    </>
  );
  return (
    <Tooltip label={tooltip} onFocus clickThrough>
      <label className={cx(s.cell, visibleLabel !== undefined && s.named)} data-difference={difference}>
        <input
          type="checkbox"
          aria-label={difference ? `${label}, ${DIFFERENCE_LABELS[difference]}` : label}
          checked={checked}
          disabled={disabled}
          onChange={onToggle}
        />
        {visibleLabel && <span>{visibleLabel}</span>}
        {difference && <i aria-hidden="true">{difference === 'added' ? '+' : '−'}</i>}
      </label>
    </Tooltip>
  );
}

const DIFFERENCE_LABELS = { added: 'only in this role', removed: 'only in the other role' };

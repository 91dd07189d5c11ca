import { useQuery } from '@tanstack/react-query';
import { environmentsQuery } from '../shell/queries.ts';
import { Env } from '../ui/Env.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import { cx } from '../ui/words.ts';
import { type Area, areasOf, COLUMNS, environmentLabel, environmentRows, operationsOf } from './areas.ts';
import { type Difference, differenceOf, type Held, has, toggled } from './held.ts';
import s from './matrix.module.css';
import type { Permissions } from './queries.ts';

type Props = {
  /** A role of the instance also has permissions of the instance. */
  isRoot: boolean;
  permissions: Permissions;
  held: readonly Held[];
  /** The role to compare with. */
  other: ReadonlySet<Held> | undefined;
  onlyDifferences: boolean;
  disabled: boolean;
  onChange(held: Held[]): void;
};

/** The permissions of a role: areas as rows, and in environments each permission as a row. */
export function Matrix({ isRoot, permissions, held, other, onlyDifferences, disabled, onChange }: Props) {
  const mine = new Set(held);
  const types = useQuery(environmentsQuery).data?.environments ?? [];
  const environments = permissions.environments.map(({ name }) => name);
  const cell = (name: string, environment?: string) => ({
    name,
    environment,
    checked: has(mine, name, environment),
    difference: differenceOf(mine, other, name, environment),
    disabled,
    onToggle: () => onChange(toggled(held, name, environment, environments)),
  });
  const names = environmentRows((permissions.environments[0]?.permissions ?? []).map(({ name }) => name));
  const differs = (name: string) =>
    [undefined, ...environments].some(one => differenceOf(mine, other, name, one) !== undefined);
  const shown = onlyDifferences ? names.filter(differs) : names;
  const areas = (list: Permissions['project']) =>
    areasOf(list.map(({ name }) => name)).filter(
      ({ columns, more }) =>
        !onlyDifferences ||
        [...Object.values(columns), ...more.map(({ name }) => name)].some(name =>
          differenceOf(mine, other, name),
        ),
    );
  return (
    <>
      {isRoot && <Areas title="On the instance" areas={areas(permissions.root)} cell={cell} />}
      <Areas
        title={isRoot ? 'In every project that is not private' : 'In the project'}
        areas={areas(permissions.project)}
        cell={cell}
      />
      {shown.length > 0 && (
        <section className={s.part}>
          <h2>
            In environments <span>“All” includes environments that are added later</span>
          </h2>
          <div className={s.scroll}>
            <table className={s.table} aria-label="In environments">
              <thead>
                <tr>
                  <th scope="col">Permission</th>
                  <th scope="col">All</th>
                  {environments.map(name => (
                    <th key={name} scope="col">
                      <Env name={name} type={types.find(one => one.name === name)?.type ?? ''} />
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {shown.map(name => (
                  <tr key={name}>
                    <th scope="row">{environmentLabel(name)}</th>
                    <td>
                      <Cell {...cell(name)} label={`${environmentLabel(name)} in all environments`} />
                    </td>
                    {environments.map(environment => (
                      <td key={environment}>
                        <Cell
                          {...cell(name, environment)}
                          label={`${environmentLabel(name)} in ${environment}`}
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
                <th scope="row">{area}</th>
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
                      <Cell key={name} {...cell(name)} label={`${label}: ${area}`} words={label} />
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

const MAX_OPERATIONS = 6;

/** A checkbox, tinted if the roles differ. The tooltip names the permission and what it allows. */
function Cell({
  name,
  environment,
  checked,
  difference,
  disabled,
  label,
  words,
  onToggle,
}: CellProps & { label: string; words?: string }) {
  const operations = operationsOf(name);
  const rest = operations.length - MAX_OPERATIONS;
  const tooltip = (
    <>
      {operations.length > 0
        ? `Allows: ${operations.slice(0, MAX_OPERATIONS).join(', ')}`
        : 'Accepted for Unleash clients, but has no effect'}
      {rest > 0 && ` and ${rest} more`}
      {environment && ` in ${environment}`}
      <br />
      <span className="mono">{name}</span>
    </>
  );
  return (
    <Tooltip label={tooltip} onFocus clickThrough>
      <label className={cx(s.cell, words !== undefined && s.named)} data-difference={difference}>
        <input
          type="checkbox"
          aria-label={difference ? `${label}, ${MEANING[difference]}` : label}
          checked={checked}
          disabled={disabled}
          onChange={onToggle}
        />
        {words && <span>{words}</span>}
        {difference && <i aria-hidden="true">{difference === 'added' ? '+' : '−'}</i>}
      </label>
    </Tooltip>
  );
}

const MEANING = { added: 'only in this role', removed: 'only in the other role' };

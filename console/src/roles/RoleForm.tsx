import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { messagesByField, otherMessages } from '../api/errors.ts';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { formatNumber } from '../ui/words.ts';
import { differenceOf, heldBy } from './held.ts';
import { Matrix } from './Matrix.tsx';
import { type Permissions, type Role, roleQuery } from './queries.ts';
import type { Draft } from './role.tsx';
import s from './roles.module.css';

const FIELDS = ['name', 'description'];

/** Name, description and permissions of a role, with the differences from a different role. */
export function RoleForm({
  draft,
  isRoot,
  permissions,
  error,
  readOnly = false,
  compareWith = [],
  onChange,
  children,
}: {
  draft: Draft;
  isRoot: boolean;
  permissions: Permissions;
  error: unknown;
  readOnly?: boolean;
  /** The roles to choose from for a comparison. */
  compareWith?: readonly Role[];
  onChange(part: Partial<Draft>): void;
  /** Further fields, before the permissions. */
  children?: ReactNode;
}) {
  const messages = messagesByField(error);
  const [compared, setCompared] = useState('');
  const [onlyDifferences, setOnly] = useState(false);
  const other = useQuery({ ...roleQuery(Number(compared)), enabled: compared !== '' });
  const theirs = compared !== '' && other.data ? new Set(heldBy(other.data.role)) : undefined;
  return (
    <>
      <FormErrors messages={otherMessages(error, FIELDS)} />
      {readOnly ? (
        draft.description && <p className={s.words}>{draft.description}</p>
      ) : (
        <div className={s.pair}>
          <TextInput
            label="Name"
            required
            autoFocus={draft.name === ''}
            maxLength={100}
            autoComplete="off"
            value={draft.name}
            error={messages.name}
            onChange={event => onChange({ name: event.target.value })}
          />
          <TextInput
            label="Description"
            maxLength={500}
            autoComplete="off"
            value={draft.description}
            error={messages.description}
            onChange={event => onChange({ description: event.target.value })}
          />
        </div>
      )}
      {children}
      {compareWith.length > 0 && (
        <div className={s.compare}>
          <span id="compare">Compare with</span>
          <NativeSelect
            aria-labelledby="compare"
            value={compared}
            data={[
              { value: '', label: 'no other role' },
              ...compareWith.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            onChange={event => {
              setCompared(event.target.value);
              setOnly(false);
            }}
          />
          {theirs && (
            <Differences
              name={other.data?.role.name ?? ''}
              mine={new Set(draft.permissions)}
              theirs={theirs}
              permissions={permissions}
              isRoot={isRoot}
              onlyDifferences={onlyDifferences}
              onChange={setOnly}
            />
          )}
        </div>
      )}
      {other.error && <Failure error={other.error} onRetry={() => void other.refetch()} />}
      <Matrix
        isRoot={isRoot}
        permissions={permissions}
        held={draft.permissions}
        other={theirs}
        onlyDifferences={onlyDifferences && theirs !== undefined}
        disabled={readOnly}
        onChange={held => onChange({ permissions: held })}
      />
    </>
  );
}

/** All permissions as cells of the matrix. */
const cellsOf = (permissions: Permissions, isRoot: boolean): [string, string?][] => [
  ...(isRoot ? permissions.root : []).map(({ name }): [string] => [name]),
  ...permissions.project.map(({ name }): [string] => [name]),
  ...permissions.environments.flatMap(({ name: environment, permissions: list }) =>
    list.map(({ name }): [string, string] => [name, environment]),
  ),
];

function Differences({
  name,
  mine,
  theirs,
  permissions,
  isRoot,
  onlyDifferences,
  onChange,
}: {
  name: string;
  mine: ReadonlySet<string>;
  theirs: ReadonlySet<string>;
  permissions: Permissions;
  isRoot: boolean;
  onlyDifferences: boolean;
  onChange(only: boolean): void;
}) {
  const cells = cellsOf(permissions, isRoot);
  const found = cells.map(([permission, environment]) => differenceOf(mine, theirs, permission, environment));
  const added = found.filter(one => one === 'added').length;
  const removed = found.filter(one => one === 'removed').length;
  return (
    <>
      <SegmentedControl
        aria-label="Rows"
        value={onlyDifferences ? 'differences' : 'all'}
        data={[
          { value: 'all', label: `All ${formatNumber(cells.length)}` },
          { value: 'differences', label: `Only differences ${formatNumber(added + removed)}` },
        ]}
        onChange={value => onChange(value === 'differences')}
      />
      <span className={s.legend}>
        <ins>+ {added}</ins> not in {name} <del>− {removed}</del> only in {name}
      </span>
    </>
  );
}

import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { formatNumber } from '../ui/words.ts';
import { Matrix } from './Matrix.tsx';
import { findDifference, listPermissionKeys } from './permission-keys.ts';
import { type Permissions, type Role, roleQuery } from './queries.ts';
import s from './roles.module.css';

export type Draft = { name: string; description: string; permissions: string[] };

const SHOWN_FIELDS = ['name', 'description'];

/** Edits a role's name, description and permissions, and shows the differences from a second role. */
export function RoleForm({
  draft,
  isRoot,
  permissions,
  error,
  readOnly = false,
  compareWith = [],
  defaultComparison,
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
  /** The role compared with by default. */
  defaultComparison?: Role | undefined;
  onChange(part: Partial<Draft>): void;
  /** Additional fields, shown before the permissions. */
  children?: ReactNode;
}) {
  const messages = messagesByField(error);
  const [chosenId, setChosenId] = useState<string>();
  const requestedId = chosenId ?? String(defaultComparison?.id ?? '');
  // Only roles of the same kind are compared, so changing the kind can invalidate the choice.
  const comparedId = compareWith.some(({ id }) => String(id) === requestedId) ? requestedId : '';
  const [onlyDifferences, setOnlyDifferences] = useState(false);
  const otherResult = useQuery({ ...roleQuery(Number(comparedId)), enabled: comparedId !== '' });
  const otherKeys =
    comparedId !== '' && otherResult.data ? new Set(listPermissionKeys(otherResult.data.role)) : undefined;
  return (
    <>
      <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
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
            value={comparedId}
            data={[
              { value: '', label: 'no other role' },
              ...compareWith.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            onChange={event => {
              setChosenId(event.target.value);
              setOnlyDifferences(false);
            }}
          />
          {otherKeys && (
            <Differences
              name={otherResult.data?.role.name ?? ''}
              ownKeys={new Set(draft.permissions)}
              otherKeys={otherKeys}
              permissions={permissions}
              isRoot={isRoot}
              onlyDifferences={onlyDifferences}
              onChange={setOnlyDifferences}
            />
          )}
        </div>
      )}
      {otherResult.error && <Failure error={otherResult.error} onRetry={() => void otherResult.refetch()} />}
      <Matrix
        isRoot={isRoot}
        permissions={permissions}
        heldKeys={draft.permissions}
        otherKeys={otherKeys}
        onlyDifferences={onlyDifferences && otherKeys !== undefined}
        disabled={readOnly}
        onChange={heldKeys => onChange({ permissions: heldKeys })}
      />
    </>
  );
}

/** Lists the matrix cells. Each cell is a permission. */
const listCells = (permissions: Permissions, isRoot: boolean): [string, string?][] => [
  ...(isRoot ? permissions.root : []).map(({ name }): [string] => [name]),
  ...permissions.project.map(({ name }): [string] => [name]),
  ...permissions.environments.flatMap(({ name: environment, permissions: list }) =>
    list.map(({ name }): [string, string] => [name, environment]),
  ),
];

function Differences({
  name,
  ownKeys,
  otherKeys,
  permissions,
  isRoot,
  onlyDifferences,
  onChange,
}: {
  name: string;
  ownKeys: ReadonlySet<string>;
  otherKeys: ReadonlySet<string>;
  permissions: Permissions;
  isRoot: boolean;
  onlyDifferences: boolean;
  onChange(only: boolean): void;
}) {
  const cells = listCells(permissions, isRoot);
  const differences = cells.map(([permission, environment]) =>
    findDifference(ownKeys, otherKeys, permission, environment),
  );
  const addedCount = differences.filter(difference => difference === 'added').length;
  const removedCount = differences.filter(difference => difference === 'removed').length;
  return (
    <>
      <SegmentedControl
        aria-label="Rows"
        value={onlyDifferences ? 'differences' : 'all'}
        data={[
          { value: 'all', label: `All ${formatNumber(cells.length)}` },
          { value: 'differences', label: `Only differences ${formatNumber(addedCount + removedCount)}` },
        ]}
        onChange={value => onChange(value === 'differences')}
      />
      <span className={s.legend}>
        <ins>+ {addedCount}</ins> not in {name} <del>− {removedCount}</del> only in {name}
      </span>
    </>
  );
}

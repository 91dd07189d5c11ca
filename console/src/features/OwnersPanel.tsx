import { ActionIcon, Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { otherMessages } from '../api/errors.ts';
import { Can } from '../ui/Can.tsx';
import { Select } from '../ui/Choices.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { Person } from '../ui/Person.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { useDraft } from '../ui/useDraft.ts';
import s from './features.module.css';
import { type Candidate, candidatesQuery, type Owners, setOwners } from './owner-queries.ts';
import type { Feature } from './queries.ts';

const MAX_OWNERS = 10;
const SHOWN_CANDIDATES = 50;

const keyOf = ({ type, id }: Candidate): string => `${type}:${id}`;
const labelOf = ({ type, name, login }: Candidate): string => {
  if (type === 'group') return `${name} (group)`;
  return login && login !== name ? `${name} (${login})` : name;
};

/** Chooses the people and groups that own a flag. */
export function OwnersPanel({
  feature,
  found,
  onClose,
}: {
  feature: Feature;
  found: Owners;
  onClose(): void;
}) {
  const { data: candidates = [] } = useQuery(candidatesQuery);
  const { draft, change, discard } = useDraft<{ owners: readonly Candidate[] }>(`owners:${feature.name}`, {
    owners: found.owners,
  });
  const { owners } = draft;
  const close = () => {
    discard();
    onClose();
  };
  const save = useMutation({
    mutationFn: () =>
      setOwners({ projectId: feature.project, featureName: feature.name }, owners, found.etag),
    onSuccess: async () => close(),
  });
  const edit = (next: readonly Candidate[]) => {
    change({ owners: next });
    save.reset();
  };
  const isFull = owners.length >= MAX_OWNERS;
  return (
    <SidePanel title="Owners" onClose={close}>
      <Form
        onSubmit={() => save.mutate()}
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Can call="setFeatureOwners" project={feature.project}>
              <Button type="submit" variant="filled" loading={save.isPending}>
                Save owners
              </Button>
            </Can>
          </>
        }
      >
        <FormErrors messages={otherMessages(save.error, [])} />
        <Select
          label="Add a person or group"
          description={
            isFull
              ? `A flag can have ${MAX_OWNERS} owners. Remove one first.`
              : 'Owners are responsible for the flag. Owning it grants no permissions.'
          }
          placeholder="Type a name"
          searchable
          disabled={isFull}
          limit={SHOWN_CANDIDATES}
          value={null}
          data={candidates
            .filter(one => !owners.some(owner => keyOf(owner) === keyOf(one)))
            .map(one => ({
              value: keyOf(one),
              label: labelOf(one),
            }))}
          nothingFoundMessage="Nobody else matches"
          onChange={value => {
            const added = candidates.find(one => keyOf(one) === value);
            if (added) edit([...owners, added]);
          }}
        />
        <ul className={s.owners}>
          {owners.map(owner => (
            <li key={keyOf(owner)}>
              <Person name={owner.name} named />
              {owner.type === 'group' && <span className="muted">group</span>}
              <ActionIcon
                aria-label={`Remove ${owner.name}`}
                onClick={() => edit(owners.filter(one => keyOf(one) !== keyOf(owner)))}
              >
                <X size={14} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      </Form>
    </SidePanel>
  );
}

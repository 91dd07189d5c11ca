import { ActionIcon, Button, Select } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Pencil, Users, X } from 'lucide-react';
import { otherMessages } from '../api/errors.ts';
import { Can } from '../ui/Can.tsx';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { Person } from '../ui/Person.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { useDraft } from '../ui/useDraft.ts';
import { useFilters } from '../ui/useFilters.ts';
import s from './features.module.css';
import {
  type Candidate,
  candidatesQuery,
  type Owners as Found,
  ownersQuery,
  setOwners,
} from './owner-queries.ts';
import type { Feature } from './queries.ts';
import { Section } from './Section.tsx';

const MAX_OWNERS = 10;
const SHOWN_CANDIDATES = 50;

/** Who answers for a flag, in the rail. `?edit=owners` changes them. */
export function Owners({ feature }: { feature: Feature }) {
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(
    ownersQuery({ projectId: feature.project, featureName: feature.name }),
  );
  return (
    <Section
      title="Owners"
      action={
        !feature.archived && (
          <Can call="setFeatureOwners" project={feature.project}>
            <ActionIcon size={22} aria-label="Change the owners" onClick={() => push({ edit: 'owners' })}>
              <Pencil size={12} />
            </ActionIcon>
          </Can>
        )
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.owners.length === 0 && <p className="muted">No owner.</p>}
      <ul>
        {data?.owners.map(({ type, id, name, deactivated }) => (
          <li key={`${type} ${id}`}>
            {type === 'user' ? <Person name={name} size={18} /> : <Users size={14} aria-label="Group" />}
            <span>{name}</span>
            {deactivated && <span className="muted">deactivated</span>}
          </li>
        ))}
      </ul>
      {search.edit === 'owners' && data && (
        <OwnersPanel feature={feature} found={data} onClose={() => replace({ edit: undefined })} />
      )}
    </Section>
  );
}

const keyOf = ({ type, id }: Candidate): string => `${type}:${id}`;
const labelOf = ({ type, name, login }: Candidate): string => {
  if (type === 'group') return `${name} (group)`;
  return login && login !== name ? `${name} (${login})` : name;
};

function OwnersPanel({ feature, found, onClose }: { feature: Feature; found: Found; onClose(): void }) {
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

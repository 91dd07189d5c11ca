import { ActionIcon, Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { messagesWithoutField } from '../api/errors.ts';
import { Can } from '../ui/Can.tsx';
import { Select } from '../ui/Choices.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { Person } from '../ui/Person.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { useDraft } from '../ui/useDraft.ts';
import s from './features.module.css';
import { getCandidateLabel, getOwnerLabel } from './owner-labels.ts';
import { type Candidate, candidatesQuery, getCandidateKey, type Owners, setOwners } from './owner-queries.ts';
import type { Feature } from './queries.ts';

const MAX_OWNERS = 10;
const MAX_CANDIDATES = 50;

/** The panel that changes which people and groups own a flag. */
export function OwnersPanel({
  feature,
  current,
  onClose,
}: {
  feature: Feature;
  current: Owners;
  onClose(): void;
}) {
  const { data: candidates = [] } = useQuery(candidatesQuery);
  const { draft, change, discard } = useDraft<{ owners: readonly Candidate[] }>(`owners:${feature.name}`, {
    owners: current.owners,
  });
  const { owners } = draft;
  const [typedText, setTyped] = useState('');
  const close = () => {
    discard();
    onClose();
  };
  const save = useMutation({
    mutationFn: () =>
      setOwners({ projectId: feature.project, featureName: feature.name }, owners, current.etag),
    onSuccess: async () => close(),
  });
  const edit = (newOwners: readonly Candidate[]) => {
    change({ owners: newOwners });
    save.reset();
  };
  const isFull = owners.length >= MAX_OWNERS;
  return (
    <SidePanel title={`Owners of ${feature.name}`} onClose={close}>
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
        <FormErrors messages={messagesWithoutField(save.error, [])} />
        <Select
          label="Add a person or group"
          description={
            isFull
              ? `A flag can have ${MAX_OWNERS} owners. Remove one first.`
              : 'Owners are responsible for the flag. Owning it grants no permissions.'
          }
          placeholder="Type a name"
          data-autofocus
          searchable
          disabled={isFull}
          limit={MAX_CANDIDATES}
          value={null}
          searchValue={typedText}
          onSearchChange={setTyped}
          data={candidates
            .filter(candidate => !owners.some(owner => getCandidateKey(owner) === getCandidateKey(candidate)))
            .map(candidate => ({
              value: getCandidateKey(candidate),
              label: getCandidateLabel(candidate),
            }))}
          nothingFoundMessage="Nobody else matches"
          onChange={value => {
            const candidate = candidates.find(option => getCandidateKey(option) === value);
            if (candidate) edit([...owners, candidate]);
            setTyped('');
          }}
        />
        <ul className={s.owners}>
          {owners.map(owner => (
            <li key={getCandidateKey(owner)} title={owner.login ?? undefined}>
              <Person name={getOwnerLabel(owner, owners)} showName />
              {owner.type === 'group' && <span className="muted">group</span>}
              <ActionIcon
                aria-label={`Remove ${getOwnerLabel(owner, owners)}`}
                onClick={() =>
                  edit(owners.filter(other => getCandidateKey(other) !== getCandidateKey(owner)))
                }
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

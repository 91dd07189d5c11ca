import { useQuery } from '@tanstack/react-query';
import { Select } from '../ui/Choices.tsx';
import { getCandidateLabel } from './owner-labels.ts';
import { type Candidate, candidatesQuery, getCandidateKey } from './owner-queries.ts';

/** Chooses a person or group as an additional owner of several flags. */
export function OwnerSelect({
  selected,
  excludedUserId,
  onChoose,
}: {
  selected: Candidate | undefined;
  /** The user who cannot be chosen. */
  excludedUserId?: number;
  onChoose(candidate: Candidate | undefined): void;
}) {
  const { data = [] } = useQuery(candidatesQuery);
  const candidates = data.filter(({ type, id }) => type === 'group' || id !== excludedUserId);
  return (
    <Select
      label="New owner"
      description="A person or a group. Owning a flag grants no permissions. The existing owners stay."
      placeholder="Type a name"
      searchable
      limit={50}
      data-autofocus
      value={selected ? getCandidateKey(selected) : null}
      data={candidates.map(candidate => ({
        value: getCandidateKey(candidate),
        label: getCandidateLabel(candidate),
      }))}
      nothingFoundMessage="Nobody matches"
      onChange={value => onChoose(candidates.find(candidate => getCandidateKey(candidate) === value))}
    />
  );
}

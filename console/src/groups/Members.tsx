import { ActionIcon, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search, UserPlus, X } from 'lucide-react';
import { useState } from 'react';
import { Person } from '../ui/Person.tsx';
import { formatCount } from '../ui/words.ts';
import { getDisplayName, getLogin } from '../users/words.ts';
import type { GroupMember } from './draft.ts';
import s from './groups.module.css';
import { type Person as Candidate, peopleQuery } from './queries.ts';

/** A group can have 5,000 members. The list shows the first members, and the user finds the others by name. */
const MAX_SHOWN = 100;
const MAX_WITHOUT_SEARCH = 12;
const MAX_CANDIDATES = 6;

/** Edits the members of a group. The server searches for users to add. */
export function Members({
  members,
  onChange,
}: {
  members: readonly GroupMember[];
  onChange(members: GroupMember[]): void;
}) {
  const [typedText, setTypedText] = useState('');
  const [filter, setFilter] = useState('');
  const { data: users = [] } = useQuery({
    ...peopleQuery(typedText.trim()),
    placeholderData: keepPreviousData,
  });
  const candidates =
    typedText.trim() === '' ? [] : users.filter(({ id }) => !members.some(member => member.id === id));
  const filterText = filter.trim().toLowerCase();
  const matchingMembers = members.filter(({ name }) => name.toLowerCase().includes(filterText));
  const add = (user: Candidate) => {
    onChange([...members, { id: user.id, name: getDisplayName(user) }]);
    setTypedText('');
  };
  return (
    <section className={s.members} aria-label="Members of the group">
      <TextInput
        label={`Members (${members.length})`}
        placeholder="Add a user: type a name or email address"
        leftSection={<UserPlus size={14} />}
        autoComplete="off"
        maxLength={255}
        value={typedText}
        onChange={event => setTypedText(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter') return;
          // Enter adds the first user, and must not save the group.
          event.preventDefault();
          if (candidates[0]) add(candidates[0]);
        }}
      />
      {typedText.trim() !== '' && (
        <ul aria-label="Users found">
          {candidates.slice(0, MAX_CANDIDATES).map(user => (
            <li key={user.id} className={s.candidate}>
              <button type="button" aria-label={`Add ${getDisplayName(user)}`} onClick={() => add(user)}>
                <Person name={getDisplayName(user)} showName />
                <span className={s.login}>{getLogin(user)}</span>
                <span className={s.add}>Add</span>
              </button>
            </li>
          ))}
          {candidates.length === 0 && <li className={s.more}>No other users match</li>}
        </ul>
      )}
      {members.length > MAX_WITHOUT_SEARCH && (
        <TextInput
          aria-label="Find a member"
          placeholder={`Find one of ${formatCount(members.length, 'member')}`}
          leftSection={<Search size={14} />}
          value={filter}
          onChange={event => setFilter(event.target.value)}
        />
      )}
      {matchingMembers.length > 0 && (
        <ul aria-label="Members">
          {matchingMembers.slice(0, MAX_SHOWN).map(({ id, name }) => (
            <li key={id}>
              <Person name={name} showName />
              <ActionIcon
                aria-label={`Remove ${name}`}
                onClick={() => onChange(members.filter(member => member.id !== id))}
              >
                <X size={14} />
              </ActionIcon>
            </li>
          ))}
          {matchingMembers.length > MAX_SHOWN && (
            <li className={s.more}>and {matchingMembers.length - MAX_SHOWN} more</li>
          )}
        </ul>
      )}
    </section>
  );
}

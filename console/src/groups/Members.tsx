import { ActionIcon, Button, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search, UserPlus, X } from 'lucide-react';
import { useState } from 'react';
import { Person } from '../ui/Person.tsx';
import { counted } from '../ui/words.ts';
import { loginOf, nameOf } from '../users/words.ts';
import type { GroupMember } from './draft.ts';
import s from './groups.module.css';
import { type Person as Candidate, peopleQuery } from './queries.ts';

/** A group can have 5,000 members. The first ones are shown, and the others are found by name. */
const SHOWN = 100;
const MANY = 12;
const SHOWN_FOUND = 6;

/** The members of a group: adds users by a search on the server, and removes them. */
export function Members({
  members,
  onChange,
}: {
  members: readonly GroupMember[];
  onChange(members: GroupMember[]): void;
}) {
  const [typed, setTyped] = useState('');
  const [filter, setFilter] = useState('');
  const { data: found = [] } = useQuery({
    ...peopleQuery(typed.trim()),
    placeholderData: keepPreviousData,
  });
  const candidates = typed.trim() === '' ? [] : found.filter(({ id }) => !members.some(one => one.id === id));
  const words = filter.trim().toLowerCase();
  const matching = members.filter(({ name }) => name.toLowerCase().includes(words));
  const add = (user: Candidate) => {
    onChange([...members, { id: user.id, name: nameOf(user) }]);
    setTyped('');
  };
  return (
    <section className={s.members} aria-label="Members of the group">
      <TextInput
        label={`Members (${members.length})`}
        placeholder="Add a user: type a name or email address"
        leftSection={<UserPlus size={14} />}
        autoComplete="off"
        maxLength={255}
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter') return;
          // It adds the first user and does not save the group.
          event.preventDefault();
          if (candidates[0]) add(candidates[0]);
        }}
      />
      {typed.trim() !== '' && (
        <ul aria-label="Users found">
          {candidates.slice(0, SHOWN_FOUND).map(user => (
            <li key={user.id}>
              <Person name={nameOf(user)} named />
              <span className={s.login}>{loginOf(user)}</span>
              <Button size="compact-xs" onClick={() => add(user)}>
                Add <span className="sr">{nameOf(user)}</span>
              </Button>
            </li>
          ))}
          {candidates.length === 0 && <li className={s.more}>No other user matches</li>}
        </ul>
      )}
      {members.length > MANY && (
        <TextInput
          aria-label="Find a member"
          placeholder={`Find one of ${counted(members.length, 'member')}`}
          leftSection={<Search size={14} />}
          value={filter}
          onChange={event => setFilter(event.target.value)}
        />
      )}
      {matching.length > 0 && (
        <ul aria-label="Members">
          {matching.slice(0, SHOWN).map(({ id, name }) => (
            <li key={id}>
              <Person name={name} named />
              <ActionIcon
                aria-label={`Remove ${name}`}
                onClick={() => onChange(members.filter(one => one.id !== id))}
              >
                <X size={14} />
              </ActionIcon>
            </li>
          ))}
          {matching.length > SHOWN && <li className={s.more}>and {matching.length - SHOWN} more</li>}
        </ul>
      )}
    </section>
  );
}

import { ActionIcon, Select, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search, X } from 'lucide-react';
import { useState } from 'react';
import { Person } from '../ui/Person.tsx';
import { counted } from '../ui/words.ts';
import { loginOf, nameOf } from '../users/words.ts';
import type { GroupMember } from './draft.ts';
import s from './groups.module.css';
import { peopleQuery } from './queries.ts';

/** A group can have 5,000 members. The first ones are shown, and the others are found by name. */
const SHOWN = 100;
const MANY = 12;

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
  const add = (value: string | null) => {
    const user = candidates.find(({ id }) => String(id) === value);
    if (user) onChange([...members, { id: user.id, name: nameOf(user) }]);
    setTyped('');
  };
  return (
    <section className={s.members} aria-label="Members">
      <Select
        label={`Members (${members.length})`}
        placeholder="Add a user: type a name or email address"
        searchable
        clearable={false}
        value={null}
        searchValue={typed}
        data={candidates.map(user => ({
          value: String(user.id),
          label: [nameOf(user), loginOf(user)].filter(Boolean).join(' · '),
        }))}
        // The server has found them, by more than the label.
        filter={({ options }) => options}
        nothingFoundMessage={typed.trim() === '' ? undefined : 'No other user matches'}
        onSearchChange={setTyped}
        onChange={add}
      />
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
        <ul>
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

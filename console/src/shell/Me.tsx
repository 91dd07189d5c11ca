import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMe } from '../api/me.ts';
import { toastError } from '../ui/toasts.ts';
import { logOut, profileQuery } from './queries.ts';
import s from './Shell.module.css';

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map(word => word.slice(0, 1))
    .slice(0, 2)
    .join('')
    .toUpperCase();

/** The authenticated user, with profile and logout. */
export function Me() {
  const { user } = useMe();
  const { data: profile } = useQuery(profileQuery);
  return (
    <Menu position="top-start">
      <Menu.Target>
        <button type="button" className={s.me}>
          <i aria-hidden="true">{initialsOf(user.name)}</i>
          <span>
            <b>{user.name}</b>
            <small>{profile?.rootRole?.name}</small>
          </span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/profile">
          Profile
        </Menu.Item>
        <Menu.Item component="a" href="/help/" target="_blank">
          Help
        </Menu.Item>
        <Menu.Item component="a" href="/docs/">
          API reference
        </Menu.Item>
        <Menu.Item onClick={() => void logOut().catch(toastError)}>Log out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMe } from '../api/me.ts';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { toastError } from '../ui/toasts.ts';
import { logOut, profileQuery } from './queries.ts';
import s from './Shell.module.css';

const getInitials = (name: string): string =>
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
    <Menu
      align="start"
      target={
        <button type="button" className={s.me}>
          <i aria-hidden="true">{getInitials(user.name)}</i>
          <span>
            <b>{user.name}</b>
            <small>{profile?.rootRole?.name}</small>
          </span>
        </button>
      }
    >
      <MenuItem as={Link} to="/profile">
        Profile
      </MenuItem>
      <MenuItem as="a" href="/help/" target="_blank">
        Help
      </MenuItem>
      <MenuItem as="a" href="/docs/">
        API reference
      </MenuItem>
      <MenuItem onClick={() => void logOut().catch(toastError)}>Log out</MenuItem>
    </Menu>
  );
}

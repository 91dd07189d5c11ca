type Named = { id: number; name: string | null; username: string | null; email: string | null };

/** What people call a user: the name, else the username or the email address. */
export const nameOf = ({ id, name, username, email }: Named): string =>
  name || username || email || `User ${id}`;

/** The line below the name: how the user logs in. */
export const loginOf = (user: Named): string =>
  [user.email, user.username].find(one => one && one !== nameOf(user)) ?? '';

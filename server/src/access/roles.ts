/** Ids of the built-in roles, which must match 0002_access.sql. */
export const ROOT_ROLES = { Admin: 1, Editor: 2, Viewer: 3 } as const;
export const PROJECT_ROLES = { Owner: 4, Member: 5, Reader: 6 } as const;

export type RootRole = keyof typeof ROOT_ROLES;
export type ProjectRole = keyof typeof PROJECT_ROLES;

/**
 * Fields that Unleash's console, its Terraform provider and scripts send, and that have no effect here: mostly response fields
 * that clients send back with an update. Operations that create a secret or grant permissions or access reject all other unknown
 * fields.
 */
export const ACCEPTED_FIELDS = {
  /** Every token is stored as a hash, whether or not this field is sent. */
  token: ['secure'],
  user: [
    ...['id', 'username', 'isAPI', 'createdAt', 'seenAt', 'inviteLink', 'sendEmail', 'emailSent', 'imageUrl'],
    ...['loginAttempts', 'accountType', 'permissions', 'activeSessions', 'deletedSessions', 'scimId'],
  ],
  serviceAccount: ['id', 'username', 'isAPI', 'createdAt', 'tokens', 'imageUrl'],
  role: ['id', 'permissions.id', 'permissions.displayName', 'permissions.type'],
  /** Logins always use PKCE. */
  oidc: ['id', 'type', 'enablePkce'],
} as const;

import type { Session } from '../api/api.tsx'

const keptAs = (session: Session) => `batua-logged-in-${session}`

/** Remembers in this browser that a person logged in, but not which person. */
export function rememberLogin(session: Session): void {
  localStorage.setItem(keptAs(session), 'yes')
}

export function forgetLogin(session: Session): void {
  localStorage.removeItem(keptAs(session))
}

/** Whether a login here ended without a logout: its session is over. */
export function wasLoggedIn(session: Session): boolean {
  return localStorage.getItem(keptAs(session)) !== null
}

import { useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import type { Session } from '../api/api.tsx'
import { backTo, STARTS } from './back-to.ts'
import { LoginFrame } from './login-frame.tsx'
import { PhoneLogin } from './phone-login.tsx'
import { PlatformLogin } from './platform-login.tsx'
import { rememberLogin, wasLoggedIn } from './remembered-login.ts'

export function OwnerLoginPage() {
  return <LoginPage session="owner" />
}

export function AdminLoginPage() {
  return <LoginPage session="admin" />
}

export function PlatformLoginPage() {
  return <LoginPage session="platform" />
}

/** Logs in, then returns to the address that needed it. */
function LoginPage({ session }: { readonly session: Session }) {
  const { back } = useSearch({ strict: false })
  const router = useRouter()
  const queries = useQueryClient()
  const onLoggedIn = () => {
    rememberLogin(session)
    queries.removeQueries({ queryKey: [session] })
    router.history.push(backTo(back, STARTS[session]))
  }
  return (
    <LoginFrame session={session} isBack={back !== undefined && wasLoggedIn(session)}>
      {session === 'platform' ? (
        <PlatformLogin onLoggedIn={onLoggedIn} />
      ) : (
        <PhoneLogin session={session} onLoggedIn={onLoggedIn} />
      )}
    </LoginFrame>
  )
}

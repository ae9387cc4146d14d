import { isBatuaError } from '@batua/sdk'
import { Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { clientFor } from '../api/api.tsx'
import { CodeForm } from './code-form.tsx'
import { PasskeyLogin } from './passkey-login.tsx'
import { PhoneForm } from './phone-form.tsx'

interface PhoneLoginProps {
  readonly session: 'owner' | 'admin'
  readonly onLoggedIn: () => void
}

interface Factors {
  readonly code: string
  readonly totp: string
}

/** Logs in by a code on the phone, for owners by a passkey too, and for administrators by their authenticator app where the service asks for it. */
export function PhoneLogin({ session, onLoggedIn }: PhoneLoginProps) {
  const [phone, setPhone] = useState<string | null>(null)
  const client = clientFor(session)
  const send = useMutation({
    mutationFn: (to: string) =>
      session === 'admin' ? client.sendAdminOtp({ phone: to }) : client.sendOtp({ phone: to }),
    onSuccess: (_sent, to) => setPhone(to),
  })
  const verify = useMutation<unknown, Error, Factors>({
    mutationFn: ({ code, totp }) => {
      const factors = { phone: phone ?? '', code, ...(totp === '' ? {} : { totp }) }
      // A repeated login would come without its cookie, so it has no Idempotency-Key.
      return session === 'admin'
        ? client.verifyAdminOtp(factors, { idempotencyKey: null })
        : client.verifyOtp(factors, { idempotencyKey: null })
    },
    onSuccess: onLoggedIn,
  })
  if (phone === null) {
    return (
      <Stack>
        <PhoneForm session={session} sending={send.isPending} error={send.error} onPhone={send.mutate} />
        {session === 'owner' && <PasskeyLogin onLoggedIn={onLoggedIn} />}
      </Stack>
    )
  }
  return (
    <CodeForm
      phone={phone}
      needsTotp={needsTotp(verify.error)}
      busy={verify.isPending}
      error={verify.error ?? send.error}
      sentTimes={send.submittedAt}
      onCode={(code, totp) => verify.mutate({ code, totp })}
      onSendAgain={() => {
        verify.reset()
        send.mutate(phone)
      }}
      onOtherNumber={() => {
        verify.reset()
        setPhone(null)
      }}
    />
  )
}

function needsTotp(error: Error | null): boolean {
  return isBatuaError(error) && error.code === 'authentication_error' && 'totp_required' in error.details
}

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { clientFor } from '../api/api.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useTexts } from '../language/language.tsx'
import { loginTexts } from './texts.ts'

/** Logs a platform's developer in. The secret becomes a session; the page does not keep it. */
export function PlatformLogin({ onLoggedIn }: { readonly onLoggedIn: () => void }) {
  const t = useTexts(loginTexts)
  const [platform_id, setId] = useState('')
  const [platform_secret, setSecret] = useState('')
  const logIn = useMutation({
    // A repeated login would come without its cookie, so it has no Idempotency-Key.
    mutationFn: () =>
      clientFor('platform').logInPlatform(
        { platform_id: platform_id.trim(), platform_secret: platform_secret.trim() },
        { idempotencyKey: null },
      ),
    onSuccess: onLoggedIn,
  })
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        logIn.mutate()
      }}
    >
      <Stack>
        <TextInput
          label={t.platformId}
          description="plt_…"
          autoComplete="username"
          name="platform_id"
          spellCheck={false}
          value={platform_id}
          onChange={event => setId(event.currentTarget.value)}
        />
        <PasswordInput
          label={t.platformSecret}
          description={t.secretHint}
          autoComplete="current-password"
          name="platform_secret"
          visibilityToggleButtonProps={{ 'aria-label': t.showSecret }}
          value={platform_secret}
          onChange={event => setSecret(event.currentTarget.value)}
        />
        {logIn.error !== null && <ErrorNotice error={logIn.error} />}
        <Button type="submit" loading={logIn.isPending} fullWidth>
          {t.logIn}
        </Button>
      </Stack>
    </form>
  )
}

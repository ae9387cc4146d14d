import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { clientFor, type InputOf } from '../api/api.tsx'
import { signWithPasskey } from '../api/passkey.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Icon } from '../components/icon.tsx'
import { useTexts } from '../language/language.tsx'
import { loginTexts } from './texts.ts'

/** Logs an owner in with a passkey, without a phone number and a code. */
export function PasskeyLogin({ onLoggedIn }: { readonly onLoggedIn: () => void }) {
  const t = useTexts(loginTexts)
  const logIn = useMutation({
    async mutationFn() {
      const client = clientFor('owner')
      const response = await signWithPasskey(await client.getPasskeyLoginOptions())
      // A repeated login would come without its cookie, so it has no Idempotency-Key.
      return client.logInByPasskey({ response } as InputOf<'logInByPasskey'>, { idempotencyKey: null })
    },
    onSuccess: onLoggedIn,
  })
  return (
    <>
      {logIn.error !== null && <ErrorNotice error={logIn.error} />}
      <Button
        variant="default"
        fullWidth
        leftSection={<Icon name="safety" size={18} />}
        loading={logIn.isPending}
        onClick={() => logIn.mutate()}
      >
        {t.byPasskey}
      </Button>
    </>
  )
}

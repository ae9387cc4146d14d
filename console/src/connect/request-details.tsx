import { Stack, Text } from '@mantine/core'
import { Notice } from '../components/notice.tsx'
import { useTexts } from '../language/language.tsx'
import classes from './connect.module.css'
import type { ConnectRequest } from './connect-page.tsx'
import { connectTexts } from './texts.ts'

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

/** Who asks, and where the response goes: the names that anyone can give, and the addresses that nobody can. */
export function RequestDetails({ request }: { readonly request: ConnectRequest }) {
  const t = useTexts(connectTexts)
  const { name, client_host, redirect_host } = request
  return (
    <Stack gap="sm">
      <dl className={classes.who}>
        <div>
          <dt>{t.calls}</dt>
          <dd>{name}</dd>
        </div>
        <div>
          <dt>{t.published}</dt>
          <dd>{client_host ?? t.registered}</dd>
        </div>
        <div>
          <dt>{t.returns}</dt>
          <dd>
            {redirect_host}
            {LOOPBACK.test(redirect_host) && (
              <Text size="sm" c="dimmed">
                {t.onThisComputer}
              </Text>
            )}
          </dd>
        </div>
      </dl>
      <Notice kind="warn">{t.check}</Notice>
    </Stack>
  )
}

import type { Platform as PlatformRecord } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Platform } from './store.ts'

/** The context that the encryption authenticates. */
export function emailOf(platformId: Uuid): string {
  return `platforms.email:${platformId}`
}

export function encryptEmail(vault: Vault, platformId: Uuid, email: string | null): Buffer | null {
  return email === null ? null : vault.encrypt(email, emailOf(platformId))
}

export function decryptEmail(vault: Vault, { id, email }: Pick<Platform, 'id' | 'email'>): string | null {
  return email === null ? null : vault.decrypt(email, emailOf(id))
}

export function platformRecord(vault: Vault, platform: Platform): PlatformRecord {
  return {
    platform_id: formatId('plt', platform.id),
    name: platform.name,
    email: decryptEmail(vault, platform),
    status: platform.status,
    webhook_url: platform.webhookUrl,
    webhook_disabled_at: platform.webhookDisabledAt?.toISOString() ?? null,
    created_at: platform.createdAt.toISOString(),
  }
}

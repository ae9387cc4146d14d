-- A session covers the accepted owners of its phone. Each request reads them, and must not read invitations as well.

create index owners_phone_accepted on owners (phone_index, id) where link_status = 'accepted';

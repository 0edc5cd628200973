-- A device changes nodes only when its lease has ended: no lease ends by a move any more.
update corral.leases set ending = 'interrupted' where ending = 'device_moved';
alter table corral.leases
    drop constraint leases_ending_check,
    add constraint leases_ending_check
        check (ending in ('finished', 'interrupted', 'expired', 'rebooted', 'lost_grant', 'deadline', 'released'));

#!/usr/bin/env bash
# ssh-machine.sh: an SSH server that sees a machine with Open vSwitch installed, in mounts of its own; run it by
# `unshare -m --propagation private`. Nothing of it is seen outside.
# Usage: ssh-machine.sh UNPACKED_ROOT FOLDER OVS_RUN_FOLDER PORT   (FOLDER/password holds the password of swadmin)
set -euo pipefail
root=$1 folder=$2 run=$3 port=$4
mkdir -p "$folder/etc/sudoers.d" "$folder/home/.ssh"
cp /etc/passwd /etc/shadow /etc/group "$folder/etc/"
echo "swadmin:x:5000:5000:switch admin:$folder/home:/bin/bash" >>"$folder/etc/passwd"
echo "sshd:x:5001:65534::/run/sshd:/usr/sbin/nologin" >>"$folder/etc/passwd"
echo "swadmin:$(openssl passwd -6 -stdin <"$folder/password"):19000:0:99999:7:::" >>"$folder/etc/shadow"
echo "swadmin:x:5000:" >>"$folder/etc/group"
echo "swadmin ALL=(ALL) NOPASSWD: ALL" >"$folder/etc/sudoers.d/swadmin"
chmod 640 "$folder/etc/shadow"
chmod 440 "$folder/etc/sudoers.d/swadmin"
chmod 755 "$folder"
[ -f "$folder/authorized_keys" ] && cp "$folder/authorized_keys" "$folder/home/.ssh/authorized_keys"
chown -R 5000:5000 "$folder/home"
cat >"$folder/sshd_config" <<CONF
Port $port
ListenAddress 127.0.0.1
HostKey $folder/host-key
PidFile $folder/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication yes
UseDNS no
Subsystem sftp internal-sftp
CONF
mount -t overlay overlay -o "lowerdir=$root/usr:/usr" /usr
mount -t overlay overlay -o "lowerdir=$folder/etc:$root/etc:/etc" /etc
mount -t tmpfs tmpfs /run
mkdir -p /run/sshd /run/openvswitch
mount --bind "$run" /run/openvswitch
exec /usr/sbin/sshd -D -e -f "$folder/sshd_config"

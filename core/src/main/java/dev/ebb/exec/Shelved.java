package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Room;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The states of a loop on the disk, one behind the other, each carry a block of its own. */
final class Shelved implements Store {
    private final Shelf shelf;
    private final String loop;
    private final long offset;
    private final Room room;
    private final Map<Integer, Shelf.Block[]> states = new HashMap<>();

    Shelved(Shelf shelf, String loop, long offset, Room room) {
        this.shelf = shelf;
        this.loop = loop;
        this.offset = offset;
        this.room = room;
    }

    @Override
    public void put(int number, List<Buffer> carries) {
        move(number, carries, true);
    }

    @Override
    public void get(int number, List<Buffer> carries) {
        move(number, carries, false);
    }

    private void move(int number, List<Buffer> carries, boolean out) {
        var blocks = states.computeIfAbsent(number, n -> blocks(n, carries));
        for (int i = 0; i < blocks.length; i++)
            shelf.new Transfer(blocks[i], carries.get(i).segment(), out).now();
    }

    private Shelf.Block[] blocks(int number, List<Buffer> carries) {
        var blocks = new Shelf.Block[carries.size()];
        long at = offset + number * room.state();
        for (int i = 0; i < blocks.length; i++) {
            long bytes = carries.get(i).bytes();
            blocks[i] = new Shelf.Block("state " + number + " of " + loop, at, bytes);
            at += Room.lines(bytes);
        }
        return blocks;
    }
}
